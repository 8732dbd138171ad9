/* The live page: the whole machine as one drawing, read from bottom to top.

   A box of the drawing is a part, "decoder.1.cross".  It unfolds into steps;
   `state.open` names the one that is shown, "decoder.1.cross.score". */
(() => {
"use strict";

const WORDS = {
  reads: ["The sentence that is read", "읽는 문장"],
  writes: ["The translation; choose a step", "번역: 단계를 고르세요"],
  back: ["One word back", "이전 단어"],
  on: ["One word on", "다음 단어"],
  hint: ["Read the drawing from the bottom to the top. The decoder has read “{0}” last. The next word: ",
    "그림은 아래에서 위로 읽습니다. 디코더는 마지막으로 “{0}”을(를) 읽었습니다. 다음 단어는: "],
  open: ["Choose a box to see its numbers.", "상자를 누르면 그 안의 숫자가 보입니다."],
  encoder: ["encoder", "인코더"],
  decoder: ["decoder", "디코더"],
  layer: ["layer {0}", "층 {0}"],
  head: ["head {0}", "헤드 {0}"],
  steps: ["What happens here", "여기서 하는 일"],
  close: ["Close", "닫기"],
  chapter: ["Chapter {0}", "{0}장"],
  numbers: ["All numbers", "모든 숫자"],
  self: ["self-attention", "자기 어텐션"],
  masked: ["masked self-attention", "마스크 자기 어텐션"],
  cross: ["cross-attention", "교차 어텐션"],
  feed: ["feed-forward", "피드포워드"],
  out: ["next word", "다음 단어"],
  text: ["words", "단어"],
  embedding: ["embedding", "임베딩"],
  position: ["position", "위치"],
  norm: ["norm", "층 정규화"],
  project: ["project", "투영"],
  score: ["score", "점수"],
  mask: ["mask", "마스크"],
  normalise: ["normalise", "정규화"],
  mix: ["mix", "섞기"],
  join: ["Wᴼ", "Wᴼ"],
  add: ["add", "더하기"],
  inner: ["widen", "넓히기"],
  outer: ["narrow", "좁히기"],
  memory: ["memory", "메모리"],
  states: ["last norm", "마지막 정규화"],
  logits: ["logits", "로짓"],
  next: ["softmax", "소프트맥스"],
  "about.text": ["The vocabulary cuts the text into pieces that it knows. Each has a number, its id.",
    "어휘집이 글을 자기가 아는 조각으로 나눕니다. 조각마다 번호(id)가 있습니다."],
  "about.embedding": ["Each id fetches its row of a table: D numbers, times √D.",
    "id마다 표에서 자기 행, 곧 숫자 D개를 꺼내 √D를 곱합니다."],
  "about.position": ["Each place adds its own pattern. Nothing else says which word came first.",
    "자리마다 고유한 무늬를 더합니다. 단어의 순서는 이것만이 알려 줍니다."],
  "about.norm": ["Each row gets mean 0 and variance 1, and is rescaled.", "행마다 평균 0, 분산 1로 맞추고 크기를 조절합니다."],
  "about.project": ["Three matrices make a query, a key and a value of each word.", "세 행렬이 단어마다 쿼리, 키, 값을 만듭니다."],
  "about.cross": ["Queries come from the decoder, keys and values from the memory.",
    "쿼리는 디코더에서, 키와 값은 메모리에서 옵니다."],
  "about.score": ["Each query meets each key: their dot product, divided by √dₖ.", "쿼리와 키를 하나씩 내적하고 √dₖ로 나눕니다."],
  "about.mask": ["What is grey may not be read. No word sees those that are written after it.",
    "회색 칸은 읽을 수 없습니다. 어떤 단어도 뒤에 쓸 단어를 보지 못합니다."],
  "about.open": ["Here nothing is grey: each word may read all.", "여기에는 회색이 없습니다. 모든 단어를 읽을 수 있습니다."],
  "about.normalise": ["The softmax turns each row of scores into weights that sum to 1.",
    "소프트맥스가 점수의 각 행을 합이 1인 가중치로 바꿉니다."],
  "about.mix": ["Each word takes the average of the values, with these weights.", "단어마다 이 가중치로 값의 평균을 가져옵니다."],
  "about.join": ["The contexts of all heads lie side by side again, and Wᴼ joins them.",
    "모든 헤드의 문맥을 다시 나란히 놓고 Wᴼ로 합칩니다."],
  "about.add": ["The output is added to the stream, which keeps what it was.", "출력을 흐름에 더합니다. 원래 것도 남습니다."],
  "about.inner": ["Each word alone becomes F numbers wide; negative ones become 0.",
    "단어마다 따로 숫자 F개로 넓히고, 음수는 0이 됩니다."],
  "about.outer": ["A second matrix brings each word back to D numbers.", "두 번째 행렬이 다시 숫자 D개로 되돌립니다."],
  "about.memory": ["What the encoder hands over, a row for each word. Every cross-attention reads it.",
    "인코더가 넘겨주는 것, 단어마다 한 행입니다. 모든 교차 어텐션이 읽습니다."],
  "about.states": ["The next word is made from the last row alone.", "마지막 행만으로 다음 단어를 정합니다."],
  "about.logits": ["The last row meets a vector of each word that can be written: one score each.",
    "마지막 행을 쓸 수 있는 모든 단어의 벡터와 내적해 점수를 얻습니다."],
  "about.next": ["The softmax turns these scores into probabilities.", "소프트맥스가 이 점수를 확률로 바꿉니다."],
};
live.addWords(Object.fromEntries(Object.entries(WORDS).map(([key, [en, ko]]) => ["machine." + key, { en, ko }])));
const say = (key, ...values) => live.say("machine." + key, ...values);

const CHAPTERS = { 1: "tokens", 3: "scores", 5: "softmax", 6: "self_attention", 7: "many_heads", 8: "position",
  9: "layers", 10: "masks", 11: "encoder_decoder", 14: "decoding" };
const STEPS = {  // and the chapter of each
  in: { text: 1, embedding: 1, position: 8 },
  attention: { project: 6, score: 3, mask: 10, normalise: 5, mix: 6, join: 7, add: 9 },
  feed: { inner: 9, outer: 9, add: 9 },
  memory: { memory: 11 },
  out: { states: 9, logits: 11, next: 14 },
};

// ---- Nodes ---------------------------------------------------------------

/* Make a node as `live.make` does; handlers are properties, which `renew` copies. */
function make(tag, given = {}, ...children) {
  const is = handler => Object.entries(given).filter(([name]) => name.startsWith("on") === handler);
  const node = live.make(tag, Object.fromEntries(is(false).filter(([, value]) => value != null)), ...children);
  return Object.assign(node, Object.fromEntries(is(true)));
}

const HANDLERS = ["onclick", "onkeydown", "oninput", "onpointermove", "ontoggle", "paint"];

/* Make the children of a box like fresh ones.  An old node that fits is kept, and
   with it focus, scrolling and a drag. */
function renew(box, fresh) {
  fresh.forEach((node, i) => {
    const old = box.childNodes[i];
    if (!old) return box.append(node);
    if (old.nodeName !== node.nodeName) return old.replaceWith(node);
    if (node.nodeType === Node.TEXT_NODE) return void (old.data = node.data);
    for (const { name } of [...old.attributes]) if (!node.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    for (const name of HANDLERS) old[name] = node[name];
    if (node.nodeName === "INPUT") old.value = node.value;
    renew(old, [...node.childNodes]);
  });
  while (box.childNodes.length > fresh.length) box.lastChild.remove();
}

/* Make a button that is pressed or not. */
const button = ({ pressed, ...given }, ...content) => make("button", { "aria-pressed": String(!!pressed), ...given }, ...content);

/* Make a group of buttons with one tab stop, in which arrows walk; they press, too,
   if asked.  `up` is where the upper arrow leads. */
function group(given, children, { presses = true, up = -1 } = {}) {
  const list = node => [...node.querySelectorAll("button")];
  const node = make("div", { role: "group", ...given }, ...children);
  node.onkeydown = function (event) {
    const all = list(this), n = all.indexOf(event.target);
    const to = { ArrowRight: n + 1, ArrowLeft: n - 1, ArrowUp: n + up, ArrowDown: n - up,
      Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
    if (presses) all[to]?.click();
  };
  const all = list(node), stop = all.find(one => one.getAttribute("aria-pressed") === "true") ?? all[0];
  for (const one of all) one.setAttribute("tabindex", one === stop ? 0 : -1);
  return node;
}

/* Make the row of words that are written; the chosen one is the step. */
function writing({ step, tokens, translator }) {
  const go = to => () => live.set({ step: Math.min(tokens.length - 1, Math.max(0, to)) });
  const arrow = (key, sign, to) => make("button", { class: "atn-arrow", "aria-label": say(key), text: sign, onclick: go(to) });
  return make("div", { class: "atn-line" }, arrow("back", "‹", step - 1),
    group({ class: "atn-words", "aria-label": say("writes"), lang: translator.language }, tokens.map((word, t) =>
      button({ class: `atn-word${t > step ? " atn-later" : ""}`, pressed: t === step, onclick: go(t) }, word))),
    arrow("on", "›", step + 1));
}

const write = number => number.toFixed(2).replace("-", "−");
const share = number => number < 0.0005 ? "< 0.001" : number.toFixed(3);
const { row } = transformer;

/* Return what is read so far: <bos> and the words before the step. */
const listRead = ({ tokens, step }) => ["<bos>", ...tokens].slice(0, step + 1);

/* Return which source word is followed: the one that is pointed at, or the one
   that the word being written looks at most. */
function follow({ word, decoded, source, step }) {
  const S = source.ids.length, sum = new Float32Array(S);
  if (word?.side === "source" && word.place < S) return word.place;
  for (const { cross } of decoded.layers)
    for (const weights of cross.weights) row(weights, step, S).forEach((weight, s) => { sum[s] += weight; });
  return transformer.likeliest(sum, 1)[0];
}

// ---- Arrays as pictures --------------------------------------------------

/* Make a canvas of arrays, { data, width }, side by side, with room for so many
   rows.  Strength is size, grey is negative; the row `at` has a frame. */
function draw(arrays, { step = "stream", rows, at, label, height, isFaint = () => false }) {
  const canvas = make("canvas", { "data-step": step, style: height && `height: ${height}px`,
    ...label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" } });
  canvas.paint = function () {
    const dots = window.devicePixelRatio, style = getComputedStyle(this), pen = this.getContext("2d");
    const wide = this.width = this.clientWidth * dots, high = this.height = this.clientHeight * dots;
    const air = 6 * dots, each = (wide + air) / arrays.length - air, isMask = step === "mask";
    const positive = style.color, [negative, frame] = ["--atn-mask", "--atn-score"].map(name => style.getPropertyValue(name));
    arrays.forEach(({ data, width }, n) => {
      const x = i => Math.round(n * (each + air) + i * each / width), y = t => Math.round(t * high / rows);
      const gap = each / width > 5 * dots ? dots : 0;
      const most = isMask || step === "normalise" ? 1 : data.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-9);
      data.forEach((value, at) => {
        const number = isMask ? value - 1 : value, t = Math.floor(at / width), i = at % width;
        pen.globalAlpha = Math.abs(number) / most * (isFaint(n) ? 0.15 : 1);
        pen.fillStyle = number < 0 ? negative : positive;
        pen.fillRect(x(i), y(t), x(i + 1) - x(i) - gap, y(t + 1) - y(t) - gap);
      });
      if (at === undefined) return;
      pen.globalAlpha = 1;
      pen.lineWidth = 1.5 * dots;
      pen.strokeStyle = frame;
      pen.strokeRect(x(0) + dots, y(at), each - 2 * dots, y(at + 1) - y(at));
    });
  };
  return canvas;
}

/* Make a figure of one array: its name, its shape in the course's letters, the
   words of its rows and columns. */
function figure({ name, letters, data, width, words, columns, step, at }, isSmall) {
  const rows = words.length, shape = `(${letters}) = ${rows} × ${width}`;
  const canvas = draw([{ data, width }], { step, at, rows, label: `${name} ${shape}`, height: rows * (isSmall ? 7 : 17) });
  canvas.onpointermove = function ({ offsetX, offsetY }) {
    const t = Math.floor(offsetY / this.clientHeight * rows), i = Math.floor(offsetX / this.clientWidth * width);
    if (words[t] && i >= 0 && i < width)
      this.closest(".atn-panel").querySelector("output").textContent =
        `${words[t]} → ${columns ? columns[i] : i}: ${write(data[t * width + i])}`;
  };
  const list = (kind, words, held) => make("div", { class: kind, "aria-hidden": "true" }, ...words.map((word, n) =>
    make("span", { class: n === held ? "atn-at" : null }, make("span", { text: word }))));
  return make("figure", {
    class: `atn-array${isSmall ? " atn-small" : ""}`, style: columns && `max-width: ${90 + 24 * width}px` },
    make("figcaption", {}, make("b", { "data-step": step, text: name }), " " + shape),
    isSmall ? null : list("atn-rows", words, at), canvas, columns && list("atn-columns", columns));
}

/* Say what stands in the row that is followed: the largest, or the first numbers. */
function readRow({ data, width, words, columns, at, step }) {
  const numbers = row(data, at, width), best = transformer.likeliest(numbers, 3);
  if (step === "mask") return "";
  return `${words[at]} → ` + (columns ? best.map(i => `${columns[i]} ${write(numbers[i])}`).join(", ")
    : Array.from(numbers.subarray(0, 4), write).join(", ") + ", …");
}

let hasNumbers = false;  // whether the tables are unfolded
/* Make the tables behind the pictures; they are filled when they are unfolded. */
function tables(arrays) {
  const fill = ({ name, data, width, words, columns = [...Array(width).keys()] }) => make("table", {},
    make("caption", { text: name }),
    make("tr", {}, make("td"), ...columns.map(text => make("th", { scope: "col", text }))),
    ...words.map((text, t) => make("tr", {}, make("th", { scope: "row", text }),
      ...Array.from(row(data, t, width), number => make("td", { text: write(number) })))));
  return make("details", { open: hasNumbers ? "" : null, ontoggle() {
    if (hasNumbers !== this.open) live.set({}, hasNumbers = this.open);
  } }, make("summary", { text: say("numbers") }),
  make("div", { class: "atn-scroll", tabindex: 0, role: "region", "aria-label": say("numbers") },
    ...hasNumbers ? arrays.map(fill) : []));
}

// ---- Parts and their steps -----------------------------------------------

/* Return side, layer and kind of a part, its name, and its steps with chapters. */
function readPart(part, { positions, pre_norm }) {
  const [side, place, kind = place] = part.split("."), isAttention = kind === "self" || kind === "cross";
  const name = kind === "in" ? "embedding" : part === "encoder.out" ? "memory" : part.match(/^d.*self$/) ? "masked" : kind;
  const { position, ...steps } = STEPS[isAttention ? "attention" : name] ?? STEPS[kind], norm = 9;
  if (position && /sin|learned/.test(positions)) steps.position = position;
  const all = kind === "in" || kind === "out" ? steps : pre_norm ? { norm, ...steps } : { ...steps, norm };
  return { side, layer: +place, kind, isAttention, name: say(name), steps: all };
}

/* Return the step that is open, null if this model has none of that name. */
function findOpen({ open, translator: { model: { config } } }) {
  const [part, side, layer, kind] = open?.match(/^(encoder|decoder)\.(?:in|out|(\d+)\.(self|cross|feed))(?=\.\w+$)/) ?? [];
  const isThere = part && !(layer >= config[`num_${side}_layers`]) && !(side === "encoder" && kind === "cross");
  return isThere && open.slice(part.length + 1) in readPart(part, config).steps ? open : null;
}

/* Return the arrays that a step shows, see `figure`. */
function listArrays(state, { side, layer, kind }, step, head) {
  const { translator: { model: { config, d_k } }, source, encoded, decoded } = state, isEncoder = side === "encoder";
  const words = isEncoder ? source.tokens : listRead(state), keys = kind === "cross" ? source.tokens : words;
  const T = isEncoder ? "S" : "T", S = kind === "cross" ? "S" : T;
  const all = isEncoder ? encoded : decoded, inside = all.layers[layer]?.[kind];
  const array = (name, data, step = "stream", width = config.d_model, letter = "D", isOfKeys = false) => ({
    name, step, width, letters: `${isOfKeys ? S : T}, ${letter}`, words: isOfKeys ? keys : words,
    at: isEncoder || isOfKeys && kind === "cross" ? follow(state) : state.step,
    data: data.subarray(0, (isOfKeys ? keys : words).length * width),
  });
  const square = (name, step) => {  // of (T, T) what is written: the first rows and columns
    const from = inside[name][head], width = kind === "cross" || isEncoder ? keys.length : state.tokens.length;
    const data = words.flatMap((_, t) => [...row(from, t, width).subarray(0, keys.length)]);
    return [{ ...array(name, Float32Array.from(data), step, keys.length, S), columns: keys }];
  };
  const before = { cross: "self", feed: isEncoder ? "self" : "cross" }[kind];
  const x = (before ? all.layers[layer][before] : all.layers[layer - 1]?.feed ?? all).stream;
  const found = {
    embedding: () => [array("X", all.embedding)],
    position: () => [array("X", all.embedding), array("+ P", all.position), array("= X", all.stream)],
    norm: () => config.pre_norm ? [array("x", x), array("norm(x)", inside.read)]
      : [array("x", inside.sum), array("norm(x)", inside.stream)],
    project: () => ["Q", "K", "V"].map((name, n) =>
      array(name, inside[name.toLowerCase()][head], "project", d_k, "dₖ", n > 0)),
    score: () => square("scores", "score"),
    mask: () => square("mask", "mask"),
    normalise: () => square("weights", "normalise"),
    mix: () => [array("context", inside.context[head], "mix", d_k, "dₖ")],
    join: () => [array("contexts", Float32Array.from(words.flatMap((_, t) =>
      inside.context.flatMap(context => [...row(context, t, d_k)]))), "mix"), array("output", inside.output)],
    add: () => [array("x", x), array("+ output", inside.output), array("= x", inside.sum)],
    inner: () => [array("hidden", inside.hidden, "stream", config.d_ff, "F")],
    outer: () => [array("output", inside.output)],
    memory: () => [array("memory", all.memory)],
    states: () => [array("Y", all.states)],
  }[step];
  return found ? found() : [];
}

/* Make the likeliest next words as bars: of their scores, or of probabilities. */
function likeliest({ translator: { target }, decoded, step }, count, isLogits) {
  const logits = row(decoded.logits, step, target.length), scores = transformer.logProbabilities(logits);
  const ids = transformer.likeliest(scores, count), words = target.tokens(ids);
  return make("ol", { class: "atn-bars" }, ...ids.map((id, n) => {
    const chance = Math.exp(scores[id]), length = isLogits ? logits[id] / logits[ids[0]] : chance;
    return make("li", {}, make("span", { text: words[n] }), make("i", { style: `--w: ${Math.max(0, 100 * length)}%` }),
      make("b", { text: isLogits ? write(logits[id]) : share(chance) }));
  }));
}

/* Make what is unfolded: of a step its numbers, its sentence and its chapter. */
function unfold(state) {
  const { open, translator: { model, target }, source, chosen } = state, read = listRead(state);
  if (!open) return [make("p", { text: say("hint", read.at(-1)) }), likeliest(state, 5), make("p", { text: say("open") })];
  const part = open.replace(/\.\w+$/, ""), step = open.slice(part.length + 1), H = model.config.num_heads;
  const now = readPart(part, model.config), { side, layer, kind, isAttention, name, steps } = now;
  const head = Math.min(chosen?.head ?? 0, H - 1), arrays = listArrays(state, now, step, head), number = steps[step];
  const about = step === "project" && kind === "cross" ? "cross" : step === "mask" && name !== say("masked") ? "open" : step;
  const isEncoder = side === "encoder", words = isEncoder ? source : { tokens: read, ids: [transformer.BOS, ...state.ids] };
  return [
    make("div", { class: "atn-panel-head" },
      make("h2", {}, name, make("small", { text: say(side) + (layer >= 0 ? ", " + say("layer", layer) : "") })),
      make("button", { class: "atn-arrow", "aria-label": say("close"), text: "×", onclick() {
        document.querySelector(`[data-key="${part}"]`).focus();
        live.set({ open: null });
      } })),
    group({ class: "atn-steps", "aria-label": say("steps") }, Object.keys(steps).map(key => button({ "data-step": key,
      pressed: key === step, onclick: () => live.set({ open: `${part}.${key}` }) }, say(key)))),
    make("p", { text: say("about." + about) + " " }, make("a", {
      href: `../chapters/${String(number).padStart(2, "0")}_${CHAPTERS[number]}.html`,
      text: say("chapter", number) })),
    isAttention && /project|score|mask|normalise|mix/.test(step) ? group({ class: "atn-steps", "aria-label": say("head", "") },
      Array.from({ length: H }, (_, h) => button({ pressed: h === head, onclick: () => live.set({
        chosen: { part: kind === "cross" ? kind : side, layer, head: h } }) }, say("head", h)))) : "",
    step === "text" ? make("div", { class: "atn-pieces" }, ...words.tokens.map((text, n) =>
      make("span", { text }, make("small", { text: words.ids[n] })))) : "",
    step === "logits" || step === "next" ? likeliest(state, 8, step === "logits") : "",
    make("div", { class: "atn-arrays atn-of-" + step }, ...arrays.map(array => figure(array, arrays.length > 1))),
    ...arrays.length ? [make("output", { text: readRow(arrays.at(-1)) }), tables(arrays)] : [],
  ];
}

// ---- The drawing ---------------------------------------------------------

/* Make a tower: its parts, from the bottom to the top, and its stream. */
function tower(state, side) {
  const { translator: { model }, source, tokens, step, changes, open, chosen } = state, { config, d_k } = model;
  const isEncoder = side === "encoder", all = isEncoder ? state.encoded : state.decoded;
  const at = isEncoder ? follow(state) : step, rows = isEncoder ? source.ids.length : tokens.length;
  const vector = (data, width, line = d_k) => draw([{ data: row(data, at, width), width: line }],
    { rows: Math.ceil(width / line), height: 5 * Math.ceil(width / line) });
  const stream = data => make("div", { class: "atn-band" }, vector(data, config.d_model));
  const box = (part, look, ...content) => {
    const { kind, layer, name, steps, isAttention } = readPart(part, config), isOpen = open?.startsWith(part + ".");
    const first = isAttention ? "normalise" : Object.keys(steps)[0], shown = open?.split(".").at(-1);
    return button({ class: `atn-part ${look}`, "data-key": part, pressed: isOpen, onclick() {
      live.set({
        open: isOpen ? null : `${part}.${shown in steps ? shown : first}`,
        chosen: isAttention ? { part: kind === "cross" ? kind : side, layer, head: chosen?.head ?? 0 } : chosen,
      });
      requestAnimationFrame(() => this.scrollIntoView({ block: "nearest" }));
    } }, make("span", { text: look === "atn-folded" ? say("layer", layer) : name }), ...content);
  };
  const heads = (kind, layer) => {  // small maps of the weights, of silent heads faint
    const width = kind === "cross" ? source.ids.length : rows, part = kind === "cross" ? kind : side;
    const written = (isEncoder ? rows : step + 1) * width;
    const isFaint = h => changes.some(change => change.how === "silence" && change.part === part
      && (change.layer ?? layer) === layer && (change.head ?? h) === h);
    return draw(all.layers[layer][kind].weights.map(data => ({ data: data.subarray(0, written), width })),
      { step: "normalise", rows, isFaint });
  };
  const [from, place] = (open ?? "").split("."), unfolded = from === side && place >= 0 ? +place : 0;
  const last = make("b", { text: isEncoder ? source.tokens[at] : listRead(state).at(-1) });
  const flow = [box(side + ".in", "", last), stream(all.stream)];
  all.layers.forEach(({ cross, feed }, n) => {
    const part = `${side}.${n}.`, isFolded = all.layers.length > 2 && n !== unfolded;
    flow.push(isFolded ? box(part + "self", "atn-folded") : make("div", { class: "atn-layer" },
      box(part + "self", "atn-meet", heads("self", n)),
      cross ? box(part + "cross", "atn-meet", heads("cross", n)) : null,
      box(part + "feed", "", vector(feed.hidden, config.d_ff, 2 * d_k)),
      make("small", { text: say("layer", n) })), stream(feed.stream));
  });
  flow.push(box(side + ".out", "", isEncoder ? vector(all.memory, config.d_model) : make("b", { text: tokens[step] })));
  flow.push(make("div", { class: "atn-name", text: say(side) }));
  return group({ class: `atn-tower atn-${side}`, "aria-label": say(side) }, flow, { presses: false, up: 1 });
}

/* Draw the way of the memory into every cross-attention. */
function wire(towers) {
  const { left, top } = towers.getBoundingClientRect(), measure = node => node.getBoundingClientRect();
  const middle = box => (box.top + box.bottom) / 2 - top;
  const from = measure(towers.querySelector('[data-key="encoder.out"]')), x = from.right - left;
  const bend = (from.right + measure(towers.querySelector(".atn-decoder")).left) / 2 - left;
  const ends = [...towers.querySelectorAll('[data-key$=".cross"], .atn-decoder .atn-folded')].map(measure);
  towers.querySelector("svg").replaceChildren(...ends.map(end => make("path", {
    d: `M${x},${middle(from)}H${bend}V${middle(end)}H${end.left - left - 2}m-6,-5l6,5l-6,5` })));
}

/* Paint what has no size before it stands on the page. */
function paint(box) {
  for (const canvas of box.querySelectorAll("canvas")) canvas.paint();
  for (const towers of box.querySelectorAll(".atn-towers")) wire(towers);
}

live.views.push({ name: "machine", draw(box, given) {
  if (!given.encoded) return;
  const state = { ...given, open: findOpen(given) }, at = follow(state);
  renew(box, [make("div", { class: "atn-machine" }, writing(state),
    make("div", { class: "atn-towers" }, make("svg", { "aria-hidden": "true" }),
      tower(state, "encoder"), tower(state, "decoder")),
    group({ class: "atn-words", "aria-label": say("reads") }, state.source.tokens.map((word, place) => button({
      class: "atn-word", pressed: place === at, onclick: () => live.set({ word: { side: "source", place } }) }, word))),
    make("section", { class: `atn-panel${state.open ? " atn-open" : ""}`, "aria-label": say("steps") }, ...unfold(state)))]);
  paint(box);
  if (box.isWatched) return;
  box.isWatched = true;
  new ResizeObserver(() => paint(box)).observe(box);
  new MutationObserver(() => paint(box)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
} });

live.drawing = {  // for the next view, and for tests
  make, renew, button, group, writing, write, share, CHAPTERS, readPart, findOpen, listArrays,
};
})();
