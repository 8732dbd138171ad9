/* The live page: all heads side by side, and what happens without one. */
(() => {
"use strict";

const { make, say, set, state, renew, group, stop, choose, two, nameHead } = live;

live.addWords({
  layer: { en: "layer {0}", ko: "층 {0}" },
  maps: { en: "Rows are the words that look, columns the words that are looked at.",
    ko: "행은 보는 쪽 단어, 열은 보이는 쪽 단어입니다." },
  off: { en: "Switch this head off", ko: "이 헤드 끄기" },
  on: { en: "Switch this head on", ko: "이 헤드 켜기" },
  close: { en: "Back to the mean of all heads", ko: "모든 헤드의 평균으로" },
  cell: { en: "“{0}” looks at “{1}”: score {2}, weight {3}", ko: "“{0}” → “{1}”: 점수 {2}, 가중치 {3}" },
  cut: { en: "Cut before the softmax", ko: "소프트맥스 앞에서 끊기" },
  zero: { en: "Set the weight to 0", ko: "가중치를 0으로" },
  same: { en: "The translation stays as it was.", ko: "번역은 그대로입니다." },
  differs: { en: "“{0}” has become “{1}”.", ko: "“{0}”이(가) “{1}”(으)로 바뀌었습니다." },
  odds: { en: "Probability of “{0}” after the same words: {1} in the whole model, {2} in this one.",
    ko: "같은 단어들 다음에 “{0}”이(가) 올 확률: 원래 모델 {1}, 바꾼 모델 {2}." },
  whole: { en: "the whole model", ko: "원래 모델" },
  changed: { en: "with what you changed", ko: "바꾼 모델" },
  silence: { en: "{0} off", ko: "{0} 끔" },
  cut_edge: { en: "{0}: “{1}” cut from “{2}”", ko: "{0}: “{1}” → “{2}” 끊음" },
  zero_edge: { en: "{0}: weight of “{2}” for “{1}” is 0", ko: "{0}: “{1}” → “{2}” 가중치 0" },
  patch: { en: "“{0}” carried over, {1}", ko: "“{0}” 옮김, {1}" },
  undo: { en: "Undo: {0}", ko: "되돌리기: {0}" },
  apart_about: { en: "Switch a head off: does the model need it? Single lines are cut under All heads.",
    ko: "헤드를 눌러 끄세요. 모델에 필요한 헤드일까요? 연결 하나하나는 ‘모든 헤드’에서 끊습니다." },
  heads_of: { en: "Heads of {0}, {1}", ko: "{0}, {1}의 헤드" },
  next_word: { en: "next word after “{0}”", ko: "“{0}” 다음 단어" },
  carry: { en: "Carry a state over from another sentence", ko: "다른 문장의 상태 옮겨 오기" },
  carry_about: { en: "Choose words: at that depth of the encoder each gets the vector that the other sentence has at the same place.",
    ko: "고른 단어는 인코더의 그 깊이에서 다른 문장의 같은 자리에 있는 벡터를 넘겨받습니다." },
  twin: { en: "The other sentence", ko: "다른 문장" },
  depth: { en: "At which depth", ko: "깊이" },
  depth_0: { en: "before layer 0", ko: "층 0 이전" },
  depth_n: { en: "after layer {0}", ko: "층 {0} 이후" },
});

// ---- Changes -------------------------------------------------------------

const KEYS = ["how", "part", "layer", "head", "query", "key", "depth", "place"];
const isSame = (a, b) => KEYS.every(key => a[key] === b[key]);
const has = change => state.changes.some(each => isSame(each, change));
const toggle = change => set({
  changes: has(change) ? state.changes.filter(each => !isSame(each, change)) : [...state.changes, change] });

/* Return the words that look and those that are looked at in one attention. */
function listWords({ source, tokens }, part) {
  const past = ["<bos>", ...tokens.slice(0, -1)];
  return { rows: part === "encoder" ? source.tokens : tokens, columns: part === "decoder" ? past : source.tokens };
}
const nameDepth = depth => depth ? say("depth_n", depth - 1) : say("depth_0");

/* Return a change in words. */
function describe(change) {
  const { how, part, query, key, depth, place } = change;
  if (how === "patch") return say("patch", state.source.tokens[place], nameDepth(depth));
  if (how === "silence") return say("silence", nameHead(change));
  const { rows, columns } = listWords(state, part);
  return say(how + "_edge", nameHead(change), rows[query], columns[key]);
}

/* Return the probability that a model gives to a word at a step. */
const chance = (decoded, t, id) => Math.exp(transformer.logProbabilities(
  transformer.row(decoded.logits, t, state.translator.target.length))[id]);

/* Say what the changes do to the translation, and to the word at the step. */
function sayEffect({ whole, ids, tokens, decoded, step }) {
  if (!whole) return "";
  const n = tokens.findIndex((token, t) => token !== whole.tokens[t]);
  const t = n < 0 ? step : n, id = (n < 0 ? ids : whole.ids)[t] ?? transformer.EOS;
  return (n < 0 ? say("same") : say("differs", whole.tokens[n] ?? "", tokens[n])) + " "
    + say("odds", n < 0 ? tokens[t] : whole.tokens[n] ?? "<eos>", two(chance(whole.here, t, id)), two(chance(decoded, t, id)));
}

/* Above the views: what is changed, and what it does. */
live.views.push({ name: "changes", slot: "above", draw(box, { ui, changes, step, tokens }) {
  renew(box, JSON.stringify([ui, step, tokens, changes.map(({ state, ...rest }) => rest)]), () => {
    if (!changes.length) return [];
    const row = group("atn-live-changes", say("changed"));
    row.append(...changes.map(change => make("button", { class: "plain", text: describe(change) + " ×",
      "aria-label": say("undo", describe(change)), "data-key": describe(change), onclick: () => toggle(change) })));
    stop(row);
    return [row, make("p", { class: "atn-live-effect", role: "status", text: sayEffect(state) })];
  });
} });

// ---- All heads -----------------------------------------------------------

/* Return the row and the column of a map that the followed word has. */
function follow({ word, step }, part) {
  const s = word?.side === "source" ? word.place : -1, t = word?.side === "target" ? word.place : step;
  return part === "encoder" ? [s, s] : part === "cross" ? [t, s] : [t, word?.side === "target" ? t + 1 : -1];
}

/* Paint weights, (T, S), one dot each, as dense as it is large. */
function paint(canvas, weights, T, S, colour) {
  Object.assign(canvas, { width: S, height: T });
  const dots = new ImageData(S, T), context = canvas.getContext("2d");
  weights.forEach((weight, i) => dots.data.set([...colour, 255 * Math.sqrt(weight)], 4 * i));
  context.putImageData(dots, 0, 0);
}

/* Return the colour of weights in this theme, as three numbers. */
function readColour(node) {
  const probe = node.appendChild(make("i", { class: "atn-live-ink" }));
  const colour = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  probe.remove();
  return colour;
}

const countLayers = (config, part) => part === "encoder" ? config.num_encoder_layers : config.num_decoder_layers;
const isHead = (chosen, part, layer, head) =>
  chosen?.part === part && chosen.layer === layer && chosen.head === head;

/* Lay out a button for each head: three attentions, one row for each layer. */
function layOut(config) {
  const maps = group("atn-live-maps", say("view.heads"), true);
  for (const part of transformer.PARTS) {
    const column = make("div", {}, make("h2", { text: say(part) }), make("p", { text: say(part + "_about") }));
    for (let layer = 0; layer < countLayers(config, part); layer++) {
      const row = make("div", { class: "atn-live-layer" }, make("span", { text: say("layer", layer) }));
      for (let head = 0; head < config.num_heads; head++) row.append(make("button", {
        "data-key": `${part}${layer}.${head}`, onclick: () => set({ chosen: { part, layer, head } }) },
      make("canvas"), make("i"), make("i")));
      column.append(row);
    }
    maps.append(column);
  }
  return maps;
}

live.views.push({ name: "heads", draw(box, now) {
  const { ui, translator: { model: { config } }, chosen } = now;
  if (!box.firstChild) box.append(make("p", { class: "atn-live-hint" }), make("div"), make("div"));
  const [hint, maps, large] = box.children, colour = readColour(box);
  hint.textContent = say("maps");
  renew(maps, [ui, config.num_heads, config.num_encoder_layers, config.num_decoder_layers].join(), () => [layOut(config)]);
  for (const button of maps.querySelectorAll("button")) {
    const [, part, layer, head] = button.dataset.key.match(/(\D+)(\d+)\.(\d+)/).map((x, n) => n > 1 ? Number(x) : x);
    const { weights, S } = live.findWeights(now, { part, layer, head }), T = weights.length / S;
    const [canvas, across, down] = button.children, [row, column] = follow(now, part);
    paint(canvas, weights, T, S, colour);
    button.style.aspectRatio = `${S} / ${T}`;
    Object.assign(across.style, { top: `${100 * row / T}%`, height: `${100 / T}%` });
    Object.assign(down.style, { left: `${100 * column / S}%`, width: `${100 / S}%` });
    across.hidden = row < 0 || row >= T;
    down.hidden = column < 0 || column >= S;
    const isOff = has({ how: "silence", part, layer, head });
    button.classList.toggle("off", isOff);
    button.ariaLabel = isOff ? say("silence", nameHead({ part, layer, head })) : nameHead({ part, layer, head });
    button.setAttribute("aria-pressed", isHead(chosen, part, layer, head));
  }
  stop(maps.firstChild);
  drawLarge(large, now);
} });

let cell = {};  // of the large map

/* One head, large: a table that arrows walk, and what can be done to it. */
function drawLarge(box, now) {
  const { chosen, ui, changes } = now;
  if (!chosen) return renew(box, "", () => []);
  const { part, layer, head } = chosen, { rows, columns } = listWords(now, part);
  const { weights, S } = live.findWeights(now), { encoded, decoded } = now;
  const { scores, mask } = (part === "encoder" ? encoded : decoded).layers[layer][part === "cross" ? "cross" : "self"];
  const [row, column] = follow(now, part);
  const name = nameHead(chosen), old = cell.name === name ? cell : {};
  const query = Math.min(part === "encoder" && row < 0 ? old.query ?? live.look(now).from.place : row, rows.length - 1);
  const looks = weights.subarray(query * S, query * S + S);
  const key = part === "cross" && column >= 0 ? column : old.key < S ? old.key : looks.indexOf(Math.max(...looks));
  const at = query * S + key;
  cell = { name, query, key };
  const go = (query, key) => {
    cell = { name, query, key };
    set(part === "encoder" ? { word: { side: "source", place: query } }
      : { step: query, word: part === "cross" ? { side: "source", place: key } : null });
  };
  const edge = { part, layer, head, query, key };
  const act = (does, change, disabled = false) => make("button", { class: "plain", text: say(does), "data-key": does,
    disabled, "aria-pressed": has(change), onclick: () => toggle(change) });
  const silence = { how: "silence", part, layer, head };
  renew(box, JSON.stringify([ui, chosen, cell, rows, columns, [...weights].map(two), changes.length]), () => [
    make("h2", { text: name }),
    make("div", { class: "atn-live-acts" },
      make("button", { class: "plain strong", text: say(has(silence) ? "on" : "off"), "data-key": "off", onclick: () => toggle(silence) }),
      make("button", { class: "plain", text: say("close"), "data-key": "close", onclick: () => set({ chosen: null }) })),
    make("div", { class: "atn-live-scroll" }, make("table", { class: "atn-live-large", onkeydown: event => {
      const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
      if (!down && !right) return;
      event.preventDefault();
      go(Math.max(0, Math.min(rows.length - 1, cell.query + down)), Math.max(0, Math.min(S - 1, cell.key + right)));
    } },
    make("tr", {}, make("td"), columns.map((text, s) => make("th", { scope: "col", class: s === key ? "at" : "" }, make("span", { text })))),
    rows.map((text, t) => make("tr", {}, make("th", { scope: "row", text, class: t === query ? "at" : "" }), columns.map((_, s) => {
      const isAt = t === query && s === key, weight = weights[t * S + s];
      return make("td", { style: `--w:${Math.round(100 * weight)}`, tabindex: isAt ? 0 : -1, "data-key": isAt ? "cell" : null,
        class: [t === query || s === key ? "near" : "", isAt ? "at" : "", mask[head][t * S + s] ? "" : "hidden"].join(" "),
        onclick: () => go(t, s), text: weight < 0.005 ? "" : weight > 0.995 ? "1" : two(weight).slice(1) });
    }))))),
    make("p", { role: "status", class: "atn-live-effect", text:
      say("cell", rows[query], columns[key], mask[head][at] ? two(scores[head][at]) : "−∞", two(weights[at])) }),
    make("div", { class: "atn-live-acts" }, act("cut", { how: "cut", ...edge }, part === "decoder" && key > query),
      act("zero", { how: "zero", ...edge }, part === "decoder" && key > query)),
  ]);
}

// ---- Take it apart -------------------------------------------------------

/* A switch for every head. */
function drawSwitches({ ui, translator: { model: { config } }, changes }) {
  return transformer.PARTS.map(part => make("div", {}, make("h2", { text: say(part) }),
    Array.from({ length: countLayers(config, part) }, (_, layer) => {
      const row = group("atn-live-switches", say("heads_of", say(part), say("layer", layer)));
      row.append(make("span", { text: say("layer", layer) }), ...Array.from({ length: config.num_heads }, (_, head) => {
        const change = { how: "silence", part, layer, head };
        return make("button", { text: head, "data-key": `${part}${layer}.${head}`, "aria-label": nameHead(change),
          "aria-pressed": !has(change), onclick: () => toggle(change) });
      }));
      stop(row, row.querySelector("button"));
      return row;
    })));
}

/* Both translations, and the likeliest words behind the same beginning. */
function compare(now) {
  const { translator, whole, decoded, tokens, step } = now, one = whole ?? now, V = translator.target.length;
  const sentence = (name, words, others) => make("p", {}, make("span", { text: say(name) + ": " }),
    make("q", { lang: translator.language }, words.slice(0, -1).flatMap((token, t) =>
      [make(token === others[t] ? "span" : "mark", { text: token }), " "])));
  const found = [whole?.here ?? decoded, decoded].map(each => transformer.logProbabilities(transformer.row(each.logits, step, V)).map(Math.exp));
  const best = [...new Set(found.flatMap(each => transformer.likeliest(each, 4)))];
  const bar = number => make("td", { style: `--p:${Math.round(100 * number)}%`, text: two(number) });
  return [
    sentence("whole", one.tokens, tokens), whole ? sentence("changed", tokens, one.tokens) : null,
    make("table", { class: "atn-live-odds" },
      make("caption", { text: say("next_word", tokens.slice(0, step).join(" ") || "<bos>") }),
      make("tr", {}, make("td"), make("th", { scope: "col", text: say("whole") }), whole ? make("th", { scope: "col", text: say("changed") }) : null),
      best.map(id => make("tr", {}, make("th", { scope: "row", text: translator.target.tokens([id])[0], lang: translator.language }),
        bar(found[0][id]), whole ? bar(found[1][id]) : null))),
  ];
}

let depth = null;

/* Words whose states are carried over from another sentence. */
function drawCarry(now) {
  const { translator: { model: { config: { num_encoder_layers: N } } }, source, twin } = now;
  depth = Math.min(depth ?? N, N);
  const input = make("input", { value: twin, "data-key": "twin", id: "live-twin", lang: "en" });
  input.addEventListener("change", () => set({ twin: input.value }));
  const row = group("atn-live-words", say("carry"));
  row.append(...source.tokens.map((text, place) => {
    const change = { how: "patch", depth, place };
    return make("button", { class: "plain", text, "data-key": "word" + place, lang: "en", "aria-pressed": has(change), onclick: () => toggle(change) });
  }));
  stop(row);
  return [make("p", { text: say("carry_about") }), make("label", { for: "live-twin", text: say("twin") }), input,
    choose("atn-live-pick", say("depth"), Array.from({ length: N + 1 }, (_, n) => [n, nameDepth(n)]), depth, n => {
      const moved = state.changes.map(c => c.how === "patch" ? { ...c, depth: n } : c);
      depth = n;
      set({ changes: moved });
    }), row];
}

live.views.push({ name: "apart", draw(box, now) {
  if (!box.firstChild) box.append(make("p", { class: "atn-live-hint" }), make("div", { class: "atn-live-three" }),
    make("div", { class: "atn-live-two" }), make("details", { class: "atn-live-fold" }, make("summary"), make("div")));
  const [hint, switches, both, fold] = box.children, { ui, changes, ids, step, source, twin } = now;
  const kept = changes.map(({ state, ...rest }) => rest);
  hint.textContent = say("apart_about");
  fold.firstChild.textContent = say("carry");
  fold.open ||= kept.some(change => change.how === "patch");
  renew(switches, JSON.stringify([ui, kept]), () => drawSwitches(now));
  renew(both, JSON.stringify([ui, kept, ids, step, twin, source.ids]), () => compare(now).filter(Boolean));
  renew(fold.lastChild, JSON.stringify([ui, kept, depth, source.ids, twin]), () => drawCarry(now));
} });
})();
