/* The live page: its address, the same in Python, the reader's own model. */
(() => {
"use strict";

const { make, say, set, state, renew } = live;

live.addWords({
  link: { en: "Copy the link", ko: "링크 복사" },
  python: { en: "Copy as Python", ko: "파이썬 코드로 복사" },
  reset: { en: "Reset", ko: "처음으로" },
  copied: { en: "Copied.", ko: "복사했습니다." },
  copied_own: { en: "Copied. Your model is not part of the link, which opens the French one.",
    ko: "복사했습니다. 링크에는 내 모델이 들어 있지 않아 프랑스어 모델이 열립니다." },
  uncopied: { en: "The browser does not let the page copy. Select the lines instead.",
    ko: "브라우저가 복사를 허용하지 않습니다. 직접 선택하세요." },
  lines: { en: "The same in Python", ko: "같은 계산을 파이썬으로" },
  bring: { en: "Bring your own model", ko: "내 모델 가져오기" },
  bring_about: { en: "Drop the folder of a run of attnbook train here, or choose it: up to 60 MB. Nothing leaves your device.",
    ko: "attnbook train이 만든 폴더를 여기에 끌어다 놓거나 선택하세요(60 MB까지). 파일은 이 기기 밖으로 나가지 않습니다." },
  folder: { en: "Choose the folder", ko: "폴더 선택" },
  files: { en: "or its files", ko: "또는 파일 선택" },
  none: { en: "In this folder {0} is missing. A finished run has config.json, source.json, target.json and model.safetensors.",
    ko: "이 폴더에 {0}이(가) 없습니다. 학습이 끝난 폴더에는 config.json, source.json, target.json, model.safetensors가 있습니다." },
  large: { en: "These files have {0} MB; the page takes up to 60.", ko: "파일이 {0} MB입니다. 60 MB까지 가능합니다." },
  refused: { en: "This model cannot be used: {0}.", ko: "이 모델은 쓸 수 없습니다: {0}." },
  works: { en: "The page now works with your model: {0} layers, {1} heads, {2} MB.",
    ko: "이제 내 모델을 사용합니다: 층 {0}개, 헤드 {1}개, {2} MB." },
});

// ---- The same in Python --------------------------------------------------

const quote = text => JSON.stringify(text);  // also a string of Python

/* Return the lines that change attention, for `tracing.run`. */
function writeAttend(changes) {
  const lines = how => changes.filter(c => c.how === how).map(({ part, layer, head, query, key }) => {
    const name = { cut: "kept", zero: "weights", silence: "context" }[how];
    const where = how === "silence" ? head : `${head}, ${query}:${query + 1}, ${key}:${key + 1}`;
    return `        if (part, layer) == ("${part}", ${layer}):\n            ${name}[:, ${where}] = ${how === "cut" ? "False" : 0}`;
  });
  return [
    "def attend(part, layer):",
    "    def changed(q, k, v, mask=None):",
    "        kept = torch.ones(1, q.size(1), q.size(2), k.size(2), dtype=torch.bool)",
    ...lines("cut"),
    "        kept = kept if mask is None else kept & mask",
    "        _, weights = scaled_dot_product_attention(q, k, v, kept)",
    ...lines("zero"),
    "        context = weights @ v",
    ...lines("silence"),
    "        return context, weights",
    "",
    "    return changed",
  ];
}

/* Return the lines of Python that translate the same sentence with the package. */
live.writePython = () => {
  const { typed, twin, language, changes, forced, width, alpha, translator, source: { ids } } = state;
  const isStorybook = translator.data === texts.storybook, longest = transformer.longestFor(translator.model, ids);
  const read = text => isStorybook ? `storybook.read_text(${quote(text)})` : quote(text);
  const open = language === "own" ? ['translator, _ = load_translator("FOLDER")  # of your run']
    : [`translator = pretrained.load("${language}")`];
  const from = language === "own" ? "from attnbook.decoding.translator import load_translator" : "from attnbook.decoding import pretrained";
  const data = isStorybook ? ["from attnbook.data import datasets"] : [], name = isStorybook ? ['storybook = datasets.find("storybook")'] : [];
  if (!changes.length && !forced.length)
    return [...data, from, "", ...open, ...name, `english = ${read(typed)}`,
      `print(translator.translate([english], width=${width}${width > 1 ? `, alpha=${alpha}` : ""})[0])`, ""].join("\n");
  const patches = changes.filter(change => change.how === "patch"), beams = width > 1 && !forced.length;
  return [
    ...(beams ? ["import contextlib", ""] : ["import math", ""]),
    "import torch", "", "from attnbook.attention import scaled_dot_product_attention", ...data,
    "from attnbook.data.vocabulary import BOS, EOS, PAD", ...(beams ? ["from attnbook.decoding.beam import beam_search"] : []),
    from, "from attnbook.probes import tracing", "",
    ...open, ...name, "model = translator.model", `source = translator.encode([${read(typed)}])  # (1, ${ids.length})`, "", "",
    ...writeAttend(changes), "", "",
    ...(patches.length ? [
      "other = {}  # depth -> stream of the other sentence", "", "",
      "def note(depth, x):", "    other[depth] = x", "    return x", "", "",
      `twin = translator.encode([${read(twin)}])`, "tracing.run(model, twin, torch.tensor([[BOS]]), edit=note)", "", "",
    ] : []),
    "def edit(depth, x):", "    x = x.clone()",
    ...patches.map(({ depth, place }) => `    if depth == ${depth}:\n        x[:, ${place}] = other[${depth}][:, ${place}]`),
    "    return x", "", "",
    ...(beams ? [
      "with contextlib.ExitStack() as hooks:",
      "    for hook in [*tracing.hook_attention(model, attend), *tracing.hook_stream(model, edit)]:",
      "        hooks.enter_context(hook)",
      `    written = beam_search(model, source, width=${width}, alpha=${alpha}, longest=${longest}, cached=False)[0]`,
    ] : [
      `written = [${["BOS", ...forced].join(", ")}]`,
      `while written[-1] != EOS and len(written) <= ${longest}:`,
      "    logits = tracing.run(model, source, torch.tensor([written]), attend, edit)[0, -1]",
      "    logits[[PAD, BOS]] = -math.inf",
      "    written.append(int(logits.argmax()))",
    ]),
    "print(translator.target.decode(written))", "",
  ].join("\n");
};

// ---- The reader's own model ----------------------------------------------

/* Read the files of a run: name -> text, and of the weights bytes. */
async function readFiles(files) {
  const folder = {}, wanted = ["config.json", "source.json", "target.json", "model.safetensors"];
  const found = files.filter(({ name, webkitRelativePath: path }) =>  // checkpoints, a folder deeper, have weights, too
    [...wanted, "sure.json"].includes(name) && path.split("/").length < 3);
  for (const name of wanted) if (!found.some(file => file.name === name)) throw new Error(say("none", name));
  const size = found.reduce((sum, file) => sum + file.size, 0);
  if (size > live.MOST_BYTES) throw new Error(say("large", Math.round(size / 1e6)));
  for (const file of found) folder[file.name] = file.name.endsWith(".json") ? await file.text() : await file.arrayBuffer();
  return folder;
}

/* Read what was dropped: files, or a folder with files. */
async function readDrop(transfer) {
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = await Promise.all(entries.map(async entry => {
    const list = entry.isDirectory ? await new Promise((done, fail) => entry.createReader().readEntries(done, fail)) : [entry];
    return Promise.all(list.filter(each => each.isFile).map(each => new Promise((done, fail) => each.file(done, fail))));
  }));
  return files.flat();
}

let told = "";  // of the own model

/* Open a model that the reader has brought. */
async function bring(files) {
  try {
    const folder = await readFiles(files);
    let translator;
    try {
      translator = texts.openTranslator(folder);
    } catch (error) {
      throw new Error(say("refused", error.message));
    }
    const { num_encoder_layers, num_decoder_layers, num_heads } = translator.model.config;
    const size = folder["model.safetensors"].byteLength / 1e6;
    told = say("works", `${num_encoder_layers} + ${num_decoder_layers}`, num_heads, size.toFixed(1));
    live.adopt(translator);
  } catch (error) {
    told = error.message;
    set({});
  }
}

// ---- Below the views -----------------------------------------------------

let note = "", lines = "";

/* Copy a text, and say so. */
async function copy(text, does = "copied") {
  const isCopied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  note = say(isCopied ? does : "uncopied");
  set({});
}

live.views.push({ name: "share", slot: "below", draw(box, { ui }) {
  if (!box.firstChild) {
    const fold = make("details", { class: "atn-live-fold" }, make("summary"), make("div"));
    const all = box.closest(".atn-live");
    all.addEventListener("dragover", event => event.preventDefault());
    all.addEventListener("drop", async event => {
      if (![...event.dataTransfer.items].some(item => item.kind === "file")) return;  // words for the text box
      event.preventDefault();
      fold.open = true;
      bring(await readDrop(event.dataTransfer));
    });
    box.append(make("div", { class: "atn-live-acts atn-live-share" }), make("p", { role: "status" }),
      make("div", { class: "atn-live-code", role: "region", tabindex: 0, hidden: true }), fold);
  }
  const [acts, status, pre, fold] = box.children;
  renew(acts, ui, () => [
    ["link", () => { lines = ""; copy(location.href, state.language === "own" ? "copied_own" : "copied"); }],
    ["python", () => copy(lines = live.writePython())],
    ["reset", () => { note = lines = ""; live.reset(); }],
  ].map(([name, onclick]) => make("button", { class: "plain", text: say(name), "data-key": name, onclick })));
  status.textContent = note;
  if (lines) lines = live.writePython();
  pre.hidden = !lines;
  pre.ariaLabel = say("lines");
  pre.textContent = lines;
  fold.firstChild.textContent = say("bring");
  renew(fold.lastChild, ui + told, () => {
    const pick = (name, more) => {
      const input = make("input", { type: "file", multiple: true, id: "live-" + name, ...more });
      input.addEventListener("change", () => bring([...input.files]));
      return make("label", { class: "atn-live-file", for: input.id }, make("span", { text: say(name) }), input);
    };
    return [make("p", { text: say("bring_about") }), make("div", { class: "atn-live-acts" },
      pick("folder", { webkitdirectory: true }), pick("files", {})), make("p", { role: "status", class: "atn-live-effect", text: told })];
  });
} });
})();
