/* The live page: the reader's own sentence goes through the whole machine.

   This script shows the stored sentence, and at the first touch loads the engine
   (transformer.js, text.js), a model and the views.  It keeps the one state;
   views read it, and are drawn again when `live.set` has changed it. */
var live = (() => {
"use strict";

const EXAMPLES = {
  tired: "The animal didn't cross the street because it was too tired.",
  wide: "The animal didn't cross the street because it was too wide.",
  gift: "The woman gave the child a red apple.",
  question: "Did the king give the queen a crown?",
  wrong: "The small owl that the fox feared ran to the forest.",
};
const ENGINE = ["transformer.js", "text.js"], INSIDE = ["live_heads.js", "live_share.js", "live_machine.js", "live_next.js"];
const VIEWS = ["machine", "heads", "next", "apart"];
const LETTERS = { encoder: "e", decoder: "d", cross: "x" };
const HOWS = { silence: "s", cut: "c", zero: "z" };
const MOST_BYTES = 60e6;  // of the reader's own model
const findTwin = typed => typed === EXAMPLES.wide ? EXAMPLES.tired : EXAMPLES.wide;
const FRESH = {
  typed: EXAMPLES.tired, twin: EXAMPLES.wide, forced: [], changes: [], chosen: null, word: null,
  step: 0, width: 1, alpha: 0.6, temperature: 1, open: null, view: null,
};
const state = {
  ...FRESH, translator: null, source: { ids: [], tokens: [] }, ids: [], tokens: [],
  encoded: null, decoded: null, whole: null,
  ui: "en", language: "fr", sentence: "", isSure: true, least: 1, unknown: [], problem: "", still: null,
};
const views = [], models = {};

// ---- Words of the interface ----------------------------------------------

const words = {
  type: { en: "Type an English sentence", ko: "영어 문장을 입력하세요" },
  to: { en: "Translate into", ko: "번역할 언어" },
  fr: { en: "French", ko: "프랑스어" },
  ko: { en: "Korean", ko: "한국어" },
  own: { en: "Your model", ko: "내 모델" },
  ui: { en: "Language of this page", ko: "화면 언어" },
  try: { en: "or try", ko: "예문" },
  tired: { en: "… too tired", ko: "… too tired" },
  wide: { en: "… too wide", ko: "… too wide" },
  gift: { en: "a gift", ko: "선물" },
  question: { en: "a question", ko: "질문" },
  wrong: { en: "one it gets wrong", ko: "틀리는 문장" },
  known: { en: "Words that the model knows", ko: "모델이 아는 단어" },
  loading: { en: "Loading the model: {0} %", ko: "모델을 불러오는 중: {0} %" },
  missing: { en: "{0} could not be loaded. Is there a connection?", ko: "{0}을(를) 불러올 수 없습니다. 연결을 확인하세요." },
  empty: { en: "Type a sentence.", ko: "문장을 입력하세요." },
  unknown: { en: "The model does not know {0}. It reads each as <unk> and guesses.",
    ko: "모델이 모르는 단어: {0}. <unk>로 읽고 짐작합니다." },
  unsure: { en: "The model is unsure of this: its least probable word has probability {0}.",
    ko: "모델이 확신하지 못합니다. 가장 확률이 낮은 단어의 확률은 {0}입니다." },
  reads: { en: "What the model reads", ko: "모델이 읽는 문장" },
  writes: { en: "What it writes", ko: "모델이 쓰는 문장" },
  looks: { en: "To write “{0}”, the model looks at {1} ({2}).", ko: "“{0}”을(를) 쓸 때 보는 곳: {1} ({2})." },
  seen: { en: "“{0}” is looked at most for {1} ({2}).", ko: "“{0}”을(를) 가장 많이 보는 단어: {1} ({2})." },
  own_looks: { en: "“{0}” looks at {1} ({2}).", ko: "“{0}”이(가) 보는 곳: {1} ({2})." },
  mean: { en: "mean of all heads", ko: "모든 헤드의 평균" },
  head: { en: "{0}, layer {1}, head {2}", ko: "{0}, 층 {1}, 헤드 {2}" },
  encoder: { en: "encoder", ko: "인코더" },
  decoder: { en: "decoder", ko: "디코더" },
  cross: { en: "cross-attention", ko: "교차 어텐션" },
  encoder_about: { en: "English words look at English words.", ko: "영어 단어가 영어 단어를 봅니다." },
  decoder_about: { en: "Each written word looks at those before it.", ko: "쓰는 단어가 앞의 단어를 봅니다." },
  cross_about: { en: "Each written word looks at the English ones.", ko: "쓰는 단어가 영어 단어를 봅니다." },
  view: { en: "Look inside", ko: "안을 들여다보기" },
  "view.machine": { en: "The whole machine", ko: "전체 구조" },
  "view.heads": { en: "All heads", ko: "모든 헤드" },
  "view.next": { en: "What next?", ko: "다음 단어는?" },
  "view.apart": { en: "Take it apart", ko: "떼어 보기" },
};
const addWords = more => void Object.assign(words, more);

/* Return a sentence of the table, in the reader's language. */
function say(key, ...values) {
  const text = words[key]?.[state.ui] ?? words[key]?.en ?? key;
  return text.replace(/\{(\d)\}/g, (_, n) => values[n]);
}
const two = number => number.toFixed(2);

// ---- State ---------------------------------------------------------------

let stale = false, isStepAsked = false, frame = 0, box = null, parts = {}, stays = null;

/* Change the state; what follows from it is computed and drawn once per frame. */
function set(changed) {
  if ("typed" in changed && changed.typed !== state.typed) {  // places are of the old sentence
    const heads = state.changes.filter(c => c.how === "silence");
    changed = { forced: [], word: null, changes: heads, ...changed };
    stays = null;
  }
  isStepAsked ||= "step" in changed;
  const asks = ["translator", "typed", "twin", "changes", "forced", "width", "alpha"];
  stale ||= asks.some(key => key in changed);
  Object.assign(state, changed);
  frame ||= requestAnimationFrame(() => { frame = 0; update(); });
}

/* Write a translation, with these changes; keep all that it was made of. */
function write(source, changes) {
  const { translator: { model, target }, forced, width, alpha } = state;
  let t = 0;
  const pick = scores => t < forced.length ? forced[t++] : transformer.likeliest(scores, 1)[0];
  const { ids } = forced.length ? transformer.generate(model, source, pick, { changes })
    : width > 1 ? transformer.beamSearch(model, source, { width, alpha, changes })
    : transformer.greedy(model, source, { changes });
  const encoded = model.encode(source, changes);
  const decode = given => model.decode([transformer.BOS, ...given], model.openCache(encoded));
  return { ids, tokens: target.tokens([...ids, transformer.EOS]), encoded, decoded: decode(ids), decode };
}

/* Say whether a model has a head. */
const fits = ({ part, layer, head }, config) => head < config.num_heads
  && layer < (part === "encoder" ? config.num_encoder_layers : config.num_decoder_layers);

/* Keep the changes that this model has room for; give patches their vectors. */
function fill(changes, { config }, length, twin) {
  const streams = twin && [twin.stream, ...twin.layers.map(layer => layer.feed.stream)];
  return changes.flatMap(change => {
    const { how, depth, place } = change;
    if (how !== "patch") return fits(change, config) ? [change] : [];
    if (!streams || depth >= streams.length || place >= length || place >= twin.ids.length) return [];
    return [{ how, depth, place, state: transformer.row(streams[depth], place, config.d_model) }];
  });
}

/* Compute all that follows from what was typed and changed. */
function compute() {
  const { translator, typed, twin, chosen } = state, { data, model } = translator;
  if (chosen && !fits(chosen, model.config)) state.chosen = null;
  state.forced = state.forced.filter(id => id < translator.target.length);
  const ids = translator.encode(data.readText(typed));
  const other = state.changes.some(c => c.how === "patch") && data.readText(twin)
    ? model.encode(translator.encode(data.readText(twin))) : null;
  const changes = fill(state.changes, model, ids.length, other);
  const found = write(ids, changes), whole = changes.length ? write(ids, []) : null;
  if (whole) whole.here = whole.decode(found.ids);  // the whole model behind the same words
  const n = found.tokens.findIndex((token, t) => token !== state.tokens[t]);  // the step at which it is another
  const least = translator.findLeast(ids, found.ids, changes), unknown = translator.findUnknown(typed);
  Object.assign(state, found, {
    changes, whole, least, unknown, still: null, problem: "",
    source: { ids, tokens: translator.source.tokens(ids) },
    step: n < 0 || isStepAsked && state.step < found.tokens.length ? Math.min(state.step, found.ids.length) : n,
    word: state.word?.place < (state.word?.side === "source" ? ids : found.tokens).length ? state.word : null,
    sentence: data.writeText(translator.target.decode(found.ids), translator.language),
    isSure: least >= translator.sureFrom && !unknown.length,
  });
}

/* Compute what is stale, then draw everything. */
function update() {
  if (stale && state.translator) {
    stale = false;
    try {
      compute();
      isStepAsked = false;
    } catch (error) {
      state.problem = state.typed.trim() ? error.message : say("empty");
    }
  }
  draw();
  if (state.translator && !state.problem) history.replaceState(null, "", writeAddress(state));
}

// ---- What the lines show -------------------------------------------------

/* Return the weights of a head, or the mean of all that look at the source. */
function findWeights({ decoded, encoded, still, source, chosen }, at = chosen) {
  const S = source.tokens.length;
  if (still) return { weights: Float32Array.from(still.cross.flat(), n => n / 100), S };
  if (at) {
    const { layers } = at.part === "encoder" ? encoded : decoded;
    const { weights } = layers[at.layer][at.part === "cross" ? "cross" : "self"];
    return { weights: weights[at.head], S: at.part === "decoder" ? decoded.ids.length : S };
  }
  const all = decoded.layers.flatMap(layer => layer.cross.weights);
  return { weights: all[0].map((_, i) => all.reduce((sum, head) => sum + head[i], 0) / all.length), S };
}

/* Return who asks (`from`), on which side the keys are, and a weight for each. */
function look(now) {
  const { source, tokens, step, word, chosen } = now, { weights, S } = findWeights(now);
  const part = chosen?.part ?? "cross", row = n => Array.from(weights.slice(n * S, n * S + S));
  const place = word?.side === "source" ? word.place : null, t = word?.side === "target" ? word.place : step;
  if (part === "encoder") {
    const from = place ?? Math.max(0, source.tokens.indexOf("it"));
    return { part, from: { side: "source", place: from }, keys: "source", weights: row(from) };
  }
  if (part === "cross" && place !== null)
    return { part, from: { side: "source", place }, keys: "target", weights: tokens.map((_, n) => weights[n * S + place]) };
  const keys = part === "cross" ? "source" : "past";  // past words are <bos> and what is written
  return { part, from: { side: "target", place: t }, keys, weights: row(t) };
}

// ---- The address ---------------------------------------------------------

const nameOf = (table, letter) => Object.keys(table).find(key => table[key] === letter);
const numbers = text => text ? text.split(".").map(Number) : [];
const encode = text => encodeURIComponent(text).replaceAll("%20", "+").replaceAll("'", "%27");
const decode = text => decodeURIComponent(text.replaceAll("+", " "));

/* Write what the reader sees behind #; what is as at first is left out. */
function writeAddress(now) {
  const { chosen, word, changes } = now, at = ({ part, layer, head }) => `${LETTERS[part]}${layer}.${head}`;
  const edits = changes.map(c => c.how === "patch" ? `p${c.depth}.${c.place}`
    : HOWS[c.how] + at(c) + (c.how === "silence" ? "" : `.${c.query}.${c.key}`));
  const fields = {
    en: now.typed, to: now.language === "fr" ? "" : now.language, ui: now.ui === "en" ? "" : now.ui,
    step: now.step, off: edits.join("_"), twin: edits.some(edit => edit[0] === "p") ? now.twin : "",
    then: now.forced.join("."), width: now.width === 1 ? "" : now.width, alpha: now.alpha === 0.6 ? "" : now.alpha,
    temperature: now.temperature === 1 ? "" : now.temperature, head: chosen ? at(chosen) : "",
    word: word ? `${word.side[0]}${word.place}` : "", view: now.view ?? "", open: now.open ?? "",
  };
  return "#" + Object.entries(fields).filter(([, value]) => value !== "").map(([key, value]) => `${key}=${encode(String(value))}`).join("&");
}

/* Read an address; null if it is none of this page's.  What makes no sense in it
   is left out: anybody can write one. */
function readAddress(hash) {
  if (!hash.startsWith("#en=")) return null;
  const fields = {};
  try {
    for (const pair of hash.slice(1).split("&")) fields[pair.split("=")[0]] = decode(pair.split("=")[1] ?? "");
  } catch {
    return null;
  }
  const head = text => {
    const [, letter, layer, number] = text?.match(/^([edx])(\d+)\.(\d+)/) ?? [];
    return letter && { part: nameOf(LETTERS, letter), layer: Number(layer), head: Number(number) };
  };
  const change = text => {
    const [, depth, place] = text.match(/^p(\d+)\.(\d+)$/) ?? [];
    if (depth) return [{ how: "patch", depth: Number(depth), place: Number(place) }];
    const how = nameOf(HOWS, text[0]), found = how && head(text.slice(1)), [, , query, key] = numbers(text.slice(2));
    if (!found || how !== "silence" && !(query >= 0 && key >= 0)) return [];
    return [how === "silence" ? { how, ...found } : { how, ...found, query, key }];
  };
  const number = (key, least, most) => {
    const value = Number(fields[key] || NaN);
    return value >= least && value <= most ? value : FRESH[key];
  };
  const [, side, place] = fields.word?.match(/^([st])(\d+)$/) ?? [];
  return {
    typed: fields.en.slice(0, 1000), twin: (fields.twin || findTwin(fields.en)).slice(0, 1000),
    language: fields.to === "ko" ? "ko" : "fr", ui: fields.ui === "ko" ? "ko" : "en",
    step: Math.floor(number("step", 0, 1000)), changes: (fields.off ?? "").split("_").filter(Boolean).flatMap(change),
    forced: numbers(fields.then).filter(id => Number.isInteger(id) && id > 1), width: Math.floor(number("width", 1, 10)),
    alpha: number("alpha", 0, 5), temperature: number("temperature", 0.05, 10), chosen: head(fields.head) ?? null,
    word: side ? { side: side === "s" ? "source" : "target", place: Number(place) } : null,
    view: VIEWS.includes(fields.view) ? fields.view : null, open: fields.open || null,
  };
}

// ---- Nodes ---------------------------------------------------------------

const DRAWN = ["svg", "g", "path", "rect", "line", "text", "circle", "title"];

/* Make an HTML or SVG node; `onclick` and the like are handlers. */
function make(tag, given = {}, ...children) {
  const node = DRAWN.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  if (tag === "button") node.type = "button";
  for (const [name, value] of Object.entries(given)) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value || value === 0 || value === "" || name.startsWith("aria-")) node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined));
  return node;
}

/* Fill a box, if what it shows is not what its `key` says. */
function renew(box, key, build) {
  if (box.dataset.key === key) return;
  const held = box.contains(document.activeElement) && document.activeElement.dataset.key;
  box.dataset.key = key;
  box.replaceChildren(...build());
  if (held) box.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
}

/* Make a group with one tab stop: arrows, Home and End walk, and press if asked. */
function group(name, label, presses = false) {
  const node = make("div", { class: name, role: "group", "aria-label": label });
  const list = () => [...node.querySelectorAll("button")].filter(button => !button.hidden);
  node.addEventListener("keydown", event => {
    const all = list(), n = all.indexOf(document.activeElement);
    const to = { ArrowRight: n + 1, ArrowDown: n + 1, ArrowLeft: n - 1, ArrowUp: n - 1, Home: 0, End: all.length - 1 }[event.key];
    if (n < 0 || to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
    if (presses) all[to]?.click();
  });
  node.addEventListener("focusin", event => stop(node, event.target));
  return node;
}

/* Make one of a group's buttons its tab stop. */
function stop(node, held) {
  const all = [...node.querySelectorAll("button")];
  const one = all.includes(held) ? held : all.find(button => button.getAttribute("aria-pressed") === "true") ?? all[0];
  for (const button of all) button.tabIndex = button === one ? 0 : -1;
}

/* Make a group of buttons of which one is pressed. */
function choose(name, label, options, is, pick, presses = true) {
  const node = group(name, label, presses);
  node.append(...options.map(([key, text]) => make("button", {
    text, "data-key": key, "aria-pressed": is === key, onclick: () => pick(key) })));
  stop(node);
  return node;
}

// ---- Loading -------------------------------------------------------------

const home = typeof document === "undefined" ? "" : document.currentScript.src.replace(/[^/]*$/, "");
const loaded = {};

/* Load a script once; scripts run in the order in which they are asked for. */
const addScript = name => loaded[name] ??= new Promise((done, fail) => {
  const script = make("script", { src: home + name, onload: done, onerror: () => {
    delete loaded[name];
    fail(new Error(say("missing", name)));
  } });
  script.async = false;
  document.head.append(script);
});

/* Load a packaged model: a script, so that a page that was opened as a file can
   read it, too (it may not fetch).  Where it may, it says how far it is. */
async function loadModel(language) {
  const name = `storybook-en-${language}`, file = `models/${name}.js`;
  if (models[name]) return models[name];
  if (location.protocol === "file:") await addScript(file);
  else {
    const response = await fetch(home + file).catch(() => ({})), pieces = [];
    if (!response.ok) throw new Error(say("missing", file));
    let read = 0;
    for await (const piece of walkStream(response.body)) {
      pieces.push(piece);
      showProgress((read += piece.length) / parts.bytes[language]);
    }
    const text = await new Blob(pieces).text();
    models[name] = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  }
  return models[name];
}

/* Yield the pieces of a stream (Safari's streams have no iterator). */
async function* walkStream(stream) {
  for (const reader = stream.getReader();;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/* Turn base64 into bytes. */
const toBuffer = text => Uint8Array.from(atob(text), char => char.charCodeAt(0)).buffer;

let waking = null;
const translators = {};

/* Load what is needed to translate into a language; the page goes on with it. */
async function wake(language = state.language) {
  if (translators[language]) return set({ language, translator: translators[language] });
  state.language = language;
  showProgress(0);
  return waking ??= (async () => {
    try {
      const model = loadModel(language);
      const [{ "model.safetensors": weights, ...folder }] = await Promise.all([model, ...ENGINE.map(addScript)]);
      translators[language] = texts.openTranslator({ ...folder, "model.safetensors": toBuffer(weights) });
      set({ translator: translators[language] });
      for (const script of INSIDE.map(addScript)) await script.then(() => set({}));
    } catch (error) {
      set({ problem: error.message });
    }
    waking = null;
    showProgress(null);
    if (state.language !== language) return wake(state.language);
  })();
}

/* Go on with the reader's own model. */
function adopt(translator) {
  translators.own = translator;
  set({ language: "own", translator, forced: [], changes: [], chosen: null });
}

/* Show how much is loaded, from 0 to 1; null is nothing to load. */
function showProgress(share) {
  parts.bar.hidden = share === null;
  if (share === null) return;
  parts.bar.firstChild.value = share;
  parts.bar.lastChild.textContent = say("loading", Math.round(100 * Math.min(share, 1)));
}

// ---- The page ------------------------------------------------------------

/* Lay out what is always there; the rest is drawn. */
function build() {
  const input = make("textarea", { id: "live-typed", rows: 1, spellcheck: "false", autocapitalize: "off",
    autocomplete: "off", lang: "en", "aria-describedby": "live-note" });
  input.addEventListener("input", () => { wake(); set({ typed: input.value }); });
  input.addEventListener("focus", () => wake());
  input.addEventListener("keydown", event => {
    if (event.key === "Enter") event.preventDefault(), matchMedia("(hover: none)").matches && input.blur();
    if (event.key === "ArrowDown" && parts.offers.querySelector("button")) {
      event.preventDefault();
      parts.offers.querySelector("button").focus();
    }
  });
  Object.assign(parts, {
    input,
    marked: make("div", { class: "atn-live-marked", "aria-hidden": "true" }),
    label: make("label", { for: "live-typed" }),
    ui: make("div"), to: make("div"), tries: make("div"),
    offers: make("div", { class: "atn-live-offers" }),
    bar: make("div", { class: "atn-live-bar", hidden: true }, make("progress", { max: 1, "aria-label": "%" }), make("span")),
    sentence: make("p", { class: "atn-live-sentence", role: "status" }),
    note: make("p", { class: "atn-live-note", id: "live-note", role: "status" }),
    stage: make("div", { class: "atn-live-stage" }),
    says: make("p", { class: "atn-live-say", role: "status" }),
    above: make("div"), tabs: make("div"), view: make("div", { class: "atn-live-view" }), below: make("div"),
  });
  const above = make("div", { class: "atn-live-controls" },
    make("div", { class: "atn-live-head" }, parts.label, parts.ui),
    make("div", { class: "atn-live-type" }, make("div", { class: "atn-live-box" }, parts.marked, input), parts.to),
    make("div", { class: "atn-live-below" }, parts.offers, parts.tries));
  box.querySelector(".atn-live-controls").replaceWith(above);
  box.append(make("div", { class: "atn-live-shown" }, parts.bar, parts.sentence, parts.note, parts.stage, parts.says,
    parts.above, parts.tabs, parts.view, parts.below));
  parts.keys = group("atn-live-row", "", true);
  parts.written = group("atn-live-row", "", true);
  parts.drawn = make("svg", { "aria-hidden": "true" });
  parts.stage.append(parts.drawn, parts.keys, parts.written);
  new ResizeObserver(() => drawStage()).observe(parts.stage);
  new MutationObserver(() => set({})).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  draw();
}

/* Draw everything. */
function draw() {
  const { ui, language, typed, problem, view, translator } = state;
  box.lang = ui;
  renew(parts.ui, ui, () => [choose("atn-live-pick", say("ui"), [["ui.en", "English"], ["ui.ko", "한국어"]], "ui." + ui, key => set({ ui: key.slice(3) }))]);
  parts.label.textContent = say("type");
  const languages = [...Object.keys(parts.bytes), ...(translators.own ? ["own"] : [])];
  renew(parts.to, [ui, language, languages].join(), () => [choose("atn-live-pick", say("to"),
    languages.map(name => [name, say(name)]), language, wake)]);
  renew(parts.tries, [ui, typed].join(), () => [choose("atn-live-tries", say("try"),
    Object.keys(EXAMPLES).map(name => [name, say(name)]), Object.keys(EXAMPLES).find(name => EXAMPLES[name] === typed),
    name => { wake(); set({ typed: EXAMPLES[name], twin: findTwin(EXAMPLES[name]) }); }, false)]);
  if (parts.input.value !== typed) parts.input.value = typed;
  drawMarks();
  parts.sentence.textContent = state.sentence;
  parts.sentence.lang = translator?.language ?? language;
  const unknown = state.unknown.flatMap(({ words }) => words.map(word => `“${word}”`)).join(", ");
  parts.note.textContent = problem || (unknown ? say("unknown", unknown) : state.isSure ? "" : say("unsure", state.least < 0.005 ? "< 0.01" : two(state.least)));
  drawStage();
  if (!translator) return;
  for (const each of views.filter(each => each.slot)) {
    if (!each.box) parts[each.slot].append(each.box = make("div"));
    each.draw(each.box, state);
  }
  const names = VIEWS.filter(name => views.some(each => each.name === name));
  renew(parts.tabs, [ui, view, names].join(), () => [choose("atn-live-tabs", say("view"),
    names.map(name => [name, say("view." + name)]), view, name => {
      set({ view: name === view ? null : name });
      requestAnimationFrame(() => parts.view.scrollIntoView({ block: "nearest" }));
    }, false)]);
  const now = views.find(each => each.name === view);
  renew(parts.view, now ? view : "", () => now ? [now.box ??= make("div")] : []);
  now?.draw(now.box, state);
}

/* Mark unknown words where they stand, and offer known ones for the last. */
function drawMarks() {
  const { typed, unknown, translator } = state, { input, marked, offers } = parts;
  let end = 0;
  const pieces = unknown.filter(place => place.end <= typed.length).flatMap(place => {
    const before = typed.slice(end, place.start);
    end = place.end;
    return [before, make("mark", { text: typed.slice(place.start, end) })];
  });
  marked.replaceChildren(...pieces, typed.slice(end) + " ");
  const asks = translator && document.activeElement === input;
  if (!asks && offers.contains(document.activeElement)) return;
  const found = asks ? translator.suggest(typed, input.selectionStart) : { words: [] };
  parts.tries.hidden = found.words.length > 0;
  offers.hidden = !parts.tries.hidden;
  renew(offers, found.words.join(), () => {
    const row = group("", say("known"));
    row.append(...found.words.map(word => make("button", { text: word, "data-key": word, onclick: () => {
      const to = state.typed.slice(0, found.start) + word + " ", rest = state.typed.slice(found.end).replace(/^ /, "");
      input.value = to + rest;
      set({ typed: input.value });
      input.focus();
      input.setSelectionRange(to.length, to.length);
    } })));
    stop(row);
    return [row];
  });
}

/* Draw both sentences, and lines between their words. */
function drawStage() {
  const { source, tokens, step, word } = state, { keys, written, stage, drawn } = parts;
  const seen = look(state), past = seen.part === "decoder";
  const button = (side, place, text) => make("button", { "data-key": side + place, onclick: () => point(side, place, true),
    onpointerenter: event => event.pointerType === "mouse" && point(side, place),
    onpointerleave: event => event.pointerType === "mouse" && point() }, make("b"), make("span", { text }));
  keys.ariaLabel = say("reads");
  written.ariaLabel = say("writes");
  keys.lang = "en";
  written.lang = state.translator?.language ?? state.language;
  renew(keys, source.tokens.join(), () => source.tokens.map((text, s) => button("source", s, text)));
  renew(written, [past, ...tokens].join(), () => [
    past ? make("span", { class: "atn-live-begin" }, make("b"), make("span", { text: "<bos>" })) : null,
    ...tokens.map((text, t) => button("target", t, text)),
  ].filter(Boolean));
  stage.className = `atn-live-stage ${seen.part}`;
  for (const name of ["small", "tall"])  // long sentences: first smaller, then one word below the other
    if ([keys, written].some(row => row.scrollWidth > row.clientWidth + 1)) stage.classList.add(name);
  const sides = { source: [...keys.children], target: [...written.querySelectorAll("button")] };
  const asked = seen.keys === "past" ? [...written.children] : sides[seen.keys];
  for (const node of [...keys.children, ...written.children]) show(node, 0);
  seen.weights.forEach((weight, n) => asked[n] && show(asked[n], weight));
  sides.source.forEach((node, s) => node.setAttribute("aria-pressed", word?.side === "source" && word.place === s));
  sides.target.forEach((node, t) => node.setAttribute("aria-pressed", t === step));
  const from = sides[seen.from.side][seen.from.place];
  for (const node of [...sides.source, ...sides.target]) node.classList.toggle("asks", node === from);
  stop(keys);
  stop(written);
  drawLines(seen, from, asked, sides);
  const most = seen.weights.map((weight, n) => [weight, n]).sort((a, b) => b[0] - a[0]).filter(([weight], n) => n < 3 && weight >= 0.005);
  const named = most.map(([weight, n]) => `“${asked[n]?.lastChild.textContent}” ${two(weight)}`).join(", ");
  const key = seen.keys === "target" ? "seen" : seen.part === "encoder" ? "own_looks" : "looks";
  parts.says.textContent = say(key, from?.lastChild.textContent, named, nameHead(state.chosen));
}
const nameHead = chosen => chosen ? say("head", say(chosen.part), chosen.layer, chosen.head) : say("mean");

/* Show a weight above its word. */
function show(node, weight) {
  node.style.setProperty("--w", Math.round(100 * weight));
  node.firstChild.textContent = weight < 0.005 ? "" : two(weight);
}

/* Point at a word: for the moment, or to stay; at none, back to what stays. */
function point(side, place, toStay = false) {
  if (toStay) stays = side === "source" ? { side, place } : null;
  if (toStay && !state.translator) wake();
  set(toStay && !stays ? { word: null, step: place } : { word: side ? { side, place } : stays });
}

/* Draw a line to each word that is looked at, as wide as its weight; and faint
   ones for the other words that are written. */
function drawLines(seen, from, asked, sides) {
  const { stage, drawn } = parts, box = stage.getBoundingClientRect(), tall = stage.classList.contains("tall");
  const at = (node, isAbove) => {  // the side of a word that looks at the other row
    const { left, top, width, height } = node.getBoundingClientRect(), x = left - box.left, y = top - box.top;
    return tall ? [x + (isAbove ? width : 0), y + height / 2] : [x + width / 2, y + (isAbove ? height : 0)];
  };
  const line = (a, b, weight, name, own) => {
    const out = own && !tall, above = node => sides.source.includes(node);  // arcs lie outside, or between columns
    const [x, y] = at(a, above(a) !== out), [u, v] = at(b, above(b) !== out);
    const bend = (above(a) === tall ? 1 : -1) * Math.min(52, 0.42 * Math.hypot(u - x, v - y));
    const c = own ? tall ? [x + bend, y, u + bend, v] : [x, y + bend, u, v + bend]
      : tall ? [(x + u) / 2, y, (x + u) / 2, v] : [x, (y + v) / 2, u, (y + v) / 2];
    return make("path", { class: name, d: `M${[x, y]}C${c},${[u, v]}`, style: `stroke-width:${1 + 11 * weight}` });
  };
  const { weights, S } = findWeights(state), faint = [];
  if (seen.part === "cross" && seen.keys === "source") sides.target.forEach((node, t) => sides.source.forEach((key, s) => {
    if (node !== from && weights[t * S + s] > 0.3) faint.push(line(node, key, 0, "faint", false));
  }));
  const own = seen.keys === "past" || seen.part === "encoder";
  drawn.replaceChildren(...faint, ...seen.weights.flatMap((weight, n) =>
    weight >= 0.005 && asked[n] && asked[n] !== from ? [line(from, asked[n], weight, "", own)] : []));
}

/* Go back to what stood there at first. */
function reset() {
  stays = null;
  if (state.language === "own") wake("fr");
  set({ ...FRESH, changes: [] });
}

/* Begin: show the stored sentence. */
function start(found) {
  box = found;
  const { bytes, sentence, ...still } = JSON.parse(box.querySelector("script").textContent);
  parts.bytes = bytes;
  FRESH.step = still.step;
  Object.assign(state, {
    still, sentence, step: still.step, source: { ids: [], tokens: still.source }, tokens: still.target });
  const linked = readAddress(location.hash);
  if (linked) Object.assign(state, linked, { view: null, step: still.step });
  build();
  box.dataset.ready = "yes";
  if (!linked) return;
  box.scrollIntoView();
  const aim = linked.open ? ".atn-panel" : linked.width > 1 ? ".atn-tree" : null;  // what lies deep in a view
  wake().then(() => set(linked)).then(() => requestAnimationFrame(() => aim && box.querySelector(aim)?.scrollIntoView({ block: "nearest" })));
}
if (typeof document !== "undefined") {
  const found = document.querySelector(".atn-live:not([data-ready])");
  if (found) start(found);
}

return {
  state, set, say, words, addWords, make, views, models, renew, group, stop, choose, two, look, findWeights,
  nameHead, FRESH, EXAMPLES, MOST_BYTES, readAddress, writeAddress, adopt, reset, compute,
};
})();
