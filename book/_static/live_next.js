/* The live page: the likeliest next words, and the beam's tree as it grows. */
(() => {
"use strict";

const WORDS = {
  after: ["What could come after “{0}”? Choose a word, and the model goes on from there.",
    "“{0}” 다음에 올 수 있는 단어입니다. 하나를 고르면 모델이 거기서부터 이어 씁니다."],
  choices: ["The ten likeliest next words", "확률이 가장 높은 다음 단어 열 개"],
  own: ["Back to the model’s own words", "모델이 고른 단어로 돌아가기"],
  temperature: ["Temperature", "온도"],
  rest: ["All {0} other words together: {1}. A low temperature favours the first word, a high one the others; the outline is temperature 1.",
    "나머지 단어 {0}개를 합치면 {1}입니다. 온도가 낮으면 첫 단어의, 높으면 다른 단어들의 확률이 커집니다. 테두리는 온도 1일 때입니다."],
  draw: ["Draw a word", "단어 뽑기"],
  beam: ["Several beginnings at once: the beam", "여러 갈래를 한꺼번에: 빔 탐색"],
  keeps: ["After every word the search keeps the best beginnings, as many as its width: try 4. A line that does not go on was dropped; a square is a sentence that has ended.",
    "단어를 쓸 때마다 가장 나은 갈래를 너비만큼 남깁니다(4로 해 보세요). 이어지지 않는 선은 버린 갈래, 네모는 끝난 문장입니다."],
  width: ["Width", "너비"],
  alpha: ["Length penalty α", "길이 벌점 α"],
  grown: ["Words written", "쓴 단어 수"],
  tried: ["After word {0}: the {1} best continuations, with the sum of their log-probabilities",
    "단어 {0}개 뒤: 가장 나은 후보 {1}개와 로그 확률의 합"],
  open: ["goes on", "계속"],
  narrow: ["dropped: {0} better ones go on", "버림: 더 나은 {0}개가 계속됨"],
  ended: ["ended, with score {1}", "끝남, 점수 {1}"],
  late: ["dropped: it ended, but {0} others are more probable", "버림: 끝났지만 더 나은 것이 {0}개"],
  full: ["dropped: {0} sentences have ended already", "버림: 이미 {0}문장이 끝남"],
  best: ["The best sentence, by score: {0}", "점수가 가장 높은 문장: {0}"],
};
live.addWords(Object.fromEntries(Object.entries(WORDS).map(([key, [en, ko]]) => ["next." + key, { en, ko }])));
const say = (key, ...values) => live.say("next." + key, ...values);
let make, renew, button, group, writing, write, share;  // of live_machine.js, which may come later

/* Make a slider, with its name and its value. */
const slider = (key, value, range, pick) => make("label", { class: "atn-slider" }, make("span", { text: say(key) }),
  make("input", { type: "range", ...range, value, oninput() { pick(+this.value); } }), make("output", { text: value }));

/* Put a word in the place of the one that is written at this step. */
const choose = ({ ids, step }, id) => live.set({ forced: [...ids.slice(0, step), id] });

/* Make the bars of the next word, and what changes them. */
function listChoices(state) {
  const { translator: { target, language }, decoded, ids, step, temperature, forced, tokens } = state;
  const scores = transformer.logProbabilities(transformer.row(decoded.logits, step, target.length));
  const warm = transformer.chances(scores, { temperature }), likeliest = transformer.likeliest(scores, 10);
  const written = [...ids, transformer.EOS][step], names = target.tokens(likeliest);
  const rest = likeliest.reduce((sum, id) => sum - warm[id], 1);  // <pad> and <bos> are never written
  return [
    make("p", { text: say("after", ["<bos>", ...tokens].slice(Math.max(0, step - 3), step + 1).join(" ")) }),
    group({ class: "atn-choices", "aria-label": say("choices"), lang: language }, likeliest.map((id, n) =>
      button({ pressed: id === written, onclick: () => choose(state, id) }, make("span", { text: names[n] }),
        make("i", { style: `--w: ${100 * warm[id]}%; --one: ${100 * Math.exp(scores[id])}%` }),
        make("b", { text: share(warm[id]) }))), { presses: false }),
    make("div", { class: "atn-sets" },
      slider("temperature", temperature, { min: 0.1, max: 3, step: 0.1 }, temperature => live.set({ temperature })),
      make("button", { class: "atn-do", text: say("draw"), onclick: () =>
        choose(state, transformer.draw(warm, Math.random())) }),
      forced.length ? make("button", { class: "atn-do", text: say("own"), onclick: () => live.set({ forced: [] }) }) : ""),
    make("p", { class: "atn-quiet", text: say("rest", (target.length - 2 - likeliest.length).toLocaleString("en"), share(rest)) }),
  ];
}

let found, asked = [], grown = Infinity;  // the last search, what it was asked, how much of it is shown
/* Search, if it was not asked before. */
function search({ translator, source, width, alpha, changes }) {
  const asks = [translator, width, alpha, changes, `${source.ids}`];
  if (asks.some((item, n) => item !== asked[n]))
    found = transformer.beamSearch(translator.model, source.ids, { width, alpha, changes });
  asked = asks;
  return found;
}

/* Return a node and what led to it, without <bos>. */
const trace = node => node?.parent ? [...trace(node.parent), node] : [];

/* Make the tree, a row for each word: what went on, joined to what it went on from. */
function tree({ translator: { target, language }, width }, { steps, best }, count) {
  const nodes = steps.slice(0, count).flat(), way = count === steps.length ? trace(best) : [];
  const ended = new Map(nodes.filter(node => node.fate === "ended").map(node => [node.parent, node]));
  const parents = new Set(nodes.filter(node => node.fate === "open").map(node => node.parent));
  const root = [...parents].find(node => !node.parent), rows = [[root],
    ...steps.slice(0, count).map(nodes => nodes.filter(node => node.fate === "open"))].filter(row => row.length);
  const places = new Map(rows.flatMap((row, t) => row.map((node, n) => [node, [n + (t ? 0.5 : width / 2), t + 0.5]])));
  const style = (node, other) => way.includes(node) || node === root && way.length ? "atn-way" : other;
  const lines = rows.slice(1).flat().map(node => {
    const [x, y] = places.get(node), [u, v] = places.get(node.parent);
    return make("path", { class: style(node), d: `M${u},${v}C${u},${y - 0.4} ${x},${v + 0.4} ${x},${y}` });
  });
  return make("div", { class: "atn-scroll atn-tree", tabindex: 0, role: "region", "aria-label": say("beam") },
    make("div", { style: `--width: ${width}; --rows: ${rows.length}`, lang: language },
      make("svg", { viewBox: `0 0 ${width} ${rows.length}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...lines),
      ...rows.flatMap((row, t) => row.map((node, n) => make("span", {
        class: style(node, t < rows.length - 1 && !parents.has(node) && !ended.has(node) ? "atn-dropped" : null),
        style: `grid-area: ${t + 1} / ${t ? n + 1 : "1 / auto / -1"}`,
      }, target.tokens([node.id])[0], ended.has(node) ? make("i", { class: style(ended.get(node)) }) : null)))));
}

/* Make the beam: its settings, its tree, and the continuations of one step in words. */
function listBeam(state) {
  const { translator: { target, data, language }, width, alpha } = state, beam = search(state), { steps, best, ids } = beam;
  const count = Math.min(grown, steps.length);
  return [
    make("h2", { text: say("beam") }),
    make("p", { text: say("keeps") }),
    make("div", { class: "atn-sets" },
      slider("width", width, { min: 1, max: 8, step: 1 }, width => live.set({ width }, grown = Infinity)),
      slider("alpha", alpha, { min: 0, max: 1.5, step: 0.1 }, alpha => live.set({ alpha })),
      slider("grown", count, { min: 1, max: steps.length, step: 1 }, to => live.set({}, grown = to))),
    tree(state, beam, count),
    make("h3", { text: say("tried", count, steps[count - 1].length) }),
    make("ol", { class: "atn-tried", lang: language }, ...steps[count - 1].map(node => {
      const words = target.tokens(trace(node).map(({ id }) => id));
      return make("li", { class: node.fate === "open" || node.fate === "ended" ? null : "atn-dropped" },
        make("span", {}, `${words.length > 5 ? "… " : ""}${words.slice(-5, -1).join(" ")} `, make("b", { text: words.at(-1) })),
        make("span", { text: write(node.total) }), make("em", { text: say(node.fate, width, write(node.score)) }));
    })),
    count === steps.length ? make("p", { role: "status", text:
      say("best", `${data.writeText(target.decode(ids), language)} (${write(best.score)})`) }) : "",
  ];
}

live.views.push({ name: "next", draw(box, state) {
  if (!state.encoded || !live.drawing) return;
  ({ make, renew, button, group, writing, write, share } = live.drawing);
  renew(box, [make("div", { class: "atn-next" }, writing(state), ...listChoices(state), ...listBeam(state))]);
} });
})();
