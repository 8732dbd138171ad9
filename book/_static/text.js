/* From what people type to ids, and back, with transformer.js between them.

   It does what the package attnbook does, under the same names: see
   data/characters.py, vocabulary.py, bpe.py, datasets/storybook.py,
   storybook/spelling.py and decoding/translator.py. */
var texts = (() => {
"use strict";

const { PAD, BOS, EOS, expect } = transformer, UNK = 3;
const SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"];
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const WORD = "\\p{L}\\p{N}_";  // what \w is in Python; SPACE is its \s

const pattern = source => new RegExp(source, "gu");
const SPACES = pattern(`[${SPACE}]+`);
const split = text => text.split(SPACES).filter(word => word);
const strip = text => text.replace(pattern(`^[${SPACE}]+|[${SPACE}]+$`), "");

// ---- One form for each text ----------------------------------------------

const NEVER = "\\0-\\x08\\x0e-\\x1b\\x7f\\xad\\u034f\\u061c\\u17b4\\u17b5\\u200b\\u200e\\u200f"
  + "\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0d\\ufeff\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}"
  + "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e001f}\\u{e0080}-\\u{e0fff}";
const JOINING = "\\u0600-\\u109f\\u1700-\\u1cff\\ua800-\\ua95f\\ua980-\\uaaff\\uabc0-\\uabff"
  + "\\ufb50-\\ufdff\\ufe70-\\ufefc\\u{10a00}-\\u{11fff}";
const EMOJI = "\\xa9\\xae\\u203c-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}";
const TAGS = "\\u{e0020}-\\u{e007f}";  // the region of a flag
const INVISIBLE = [
  `[${NEVER}]+`,
  `(?<![\\u{1f3f4}${TAGS}])[${TAGS}]+`,
  `(?<![${EMOJI}#*\\p{Nd}])[\\ufe0e\\ufe0f]+`,
  "(?<=[#*\\p{Nd}])[\\ufe0e\\ufe0f]+(?!\\u20e3)",
  "(?<![\\u1820-\\u18aa])[\\u180b-\\u180f]+",
  `(?<![${JOINING}])\\u200c+`,
  `(?<![${JOINING}${EMOJI}${TAGS}\\ufe0f])\\u200d+`,
  `(?<=[${EMOJI}${TAGS}\\ufe0f])\\u200d+(?![${EMOJI}])`,
  `\\u200c+(?![\\u200d${JOINING}])`,
].map(pattern);

/* Return a text in the one form that models read: a letter and its accents are
   one character, and nothing is invisible. */
function cleanText(text) {
  const half = text.search(/\p{Cs}/u);
  expect(half < 0, "text without lone surrogates", `one at position ${half}`);
  let clean = text.replace(/[\u2800\u3164\uffa0]/g, " ");
  for (const invisible of INVISIBLE) clean = clean.replace(invisible, "");
  clean = clean.normalize("NFC");
  return clean === text ? text : cleanText(clean);
}

// ---- Vocabularies --------------------------------------------------------

/* Keep what stands before the first <eos>, without <pad> and <bos>. */
function keepTextIds(ids) {
  const end = ids.indexOf(EOS);
  return ids.slice(0, end < 0 ? ids.length : end).filter(id => id !== PAD && id !== BOS);
}

/* One id per word; words are what stands between spaces. */
class WordVocabulary {
  constructor(words) {
    this.names = [...SPECIALS, ...words];
    this.ids = new Map(words.map((word, i) => [word, SPECIALS.length + i]));
    expect(words.every(word => typeof word === "string"), "words as text", "others");
    expect(this.ids.size === words.length, "distinct words", "one twice");
  }
  get length() { return this.names.length; }
  encode(text) { return text.split(" ").filter(word => word).map(word => this.ids.get(word) ?? UNK); }
  decode(ids) { return this.tokens(keepTextIds(ids)).join(" "); }
  tokens(ids) { return ids.map(id => this.names[id]); }

  /* Return known words that begin so, frequent ones first. */
  complete(begun, count) {
    return [...this.ids.keys()].filter(word => word.startsWith(begun) && word !== begun).slice(0, count);
  }
}

const FIRST_MERGE = SPECIALS.length + 256;
const MARKS = "[\\u200c\\u200d\\p{M}]*";
const PIECE = pattern(` ?(?:[\\p{L}\\p{Nl}\\p{No}]+${MARKS})+| ?(?:\\p{Nd}+${MARKS})+`
  + `| ?[^\\p{L}\\p{N}${SPACE}]+|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]`);

/* A vocabulary of 4 special tokens, 256 bytes and one id per merge. */
class BytePairs {
  constructor(merges) {
    this.bytes = [[], [], [], [], ...Array(256).keys()].map(byte => [byte].flat());
    this.ranks = new Map();  // pair -> the id that it is merged into
    merges.forEach((pair, i) => {
      const id = FIRST_MERGE + i, isThere = n => n >= SPECIALS.length && n < id;
      expect(pair?.length === 2 && pair.every(isThere) && !this.ranks.has(`${pair}`),
        `two ids from ${SPECIALS.length} to ${id - 1} that were not merged before for id ${id}`, pair);
      this.ranks.set(`${pair}`, id);
      this.bytes.push(pair.flatMap(part => this.bytes[part]));
    });
  }
  get length() { return this.bytes.length; }
  encode(text) { return (text.match(PIECE) ?? []).flatMap(piece => this.merge(piece)); }

  /* Apply the merges to one piece, the first learned first. */
  merge(piece) {
    let ids = toBytes(piece).map(byte => SPECIALS.length + byte);
    for (;;) {
      const into = ids.map((id, i) => this.ranks.get(`${id},${ids[i + 1]}`) ?? Infinity);
      const first = Math.min(...into), merged = [];
      if (first === Infinity) return ids;
      for (let i = 0; i < ids.length; i++) merged.push(into[i] === first ? (i++, first) : ids[i]);
      ids = merged;
    }
  }
  decode(ids) {
    const unknown = toBytes(SPECIALS[UNK]);
    return fromBytes(keepTextIds(ids).flatMap(id => id === UNK ? unknown : this.bytes[id]), () => "\ufffd");
  }
  tokens(ids) {
    const asHex = bytes => bytes.map(byte => "\\x" + byte.toString(16)).join("");
    return ids.map(id => SPECIALS[id] ?? fromBytes(this.bytes[id], asHex)
      .replaceAll(" ", "\u2581").replace(/[\p{C}\p{Z}]/gu, escape));
  }
  complete() { return []; }
}

/* Name an invisible character by its number. */
function escape(char) {
  const code = char.codePointAt(0), [letter, width] = code < 256 ? "x2" : code < 65536 ? "u4" : "U8";
  return { "\t": "\\t", "\n": "\\n", "\r": "\\r" }[char] ?? `\\${letter}${code.toString(16).padStart(width, "0")}`;
}

/* Write a text as UTF-8. */
const toBytes = text => encodeURIComponent(text).match(/%..|./g)
  .map(byte => byte[1] ? parseInt(byte.slice(1), 16) : byte.charCodeAt(0));

/* Read UTF-8; `name` says what to write for bytes that are none. */
function fromBytes(bytes, name) {
  let text = "";
  for (let i = 0, end; i < bytes.length; i = end) {
    const first = bytes[i];
    const more = first < 0x80 ? 0 : first < 0xc2 || first > 0xf4 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let low = { 0xe0: 0xa0, 0xf0: 0x90 }[first] ?? 0x80, high = { 0xed: 0x9f, 0xf4: 0x8f }[first] ?? 0xbf;
    let code = more > 0 ? first & 0x3f >> more : first;
    for (end = i + 1; end <= i + more && bytes[end] >= low && bytes[end] <= high; end++) {
      code = code << 6 | bytes[end] & 0x3f;
      [low, high] = [0x80, 0xbf];  // of all but the second byte
    }
    text += end - i === more + 1 ? String.fromCodePoint(code) : name(bytes.slice(i, end));
  }
  return text;
}

// ---- Data: what people type, and what a model reads ----------------------

const BEGIN = `(?<![${WORD}])`, END = `(?![${WORD}])`;  // of a word
const SHORT = Object.entries({  // what people write, and how the grammar writes it
  '["\u201c\u201d\u00ab\u00bb()]': " ",
  "[.!]+": " . ",
  "[?]+": " ? ",
  ",": " , ",
  [`${BEGIN}can(?:'t|not)${END}`]: "can not",
  [`${BEGIN}won't${END}`]: "will not",
  [`n't${END}`]: " not",
  [`${BEGIN}i'm${END}`]: "i am",
  [`'re${END}`]: " are",
  [`'ll${END}`]: " will",
  [`${BEGIN}(it|he|she|this|there)'s${END}`]: "$1 is",
  [`'s${END}`]: " 's",
}).map(([short, full]) => [pattern(short), full]);
const ASKING = split("am are is was were do does did can could will");
const TIMES = split("sometimes soon today tomorrow yesterday");
const JOINS = {
  fr: [["' ", "'"], [" ,", ","], [" .", "."]],
  ko: [[" +", ""], [" .", "."], [" ?", "?"]],
};
const STRETCH = pattern(`[^${SPACE}"\u201c\u201d\u00ab\u00bb().,!?]+`);  // a word as it is typed

const storybook = {
  /* Return a sentence as the grammar writes it. */
  readText(text) {
    text = cleanText(text).toLowerCase().replaceAll("\u2019", "'");
    for (const [short, full] of SHORT) text = text.replace(short, full);
    const words = split(text), last = words.at(-1);
    if (last && last !== "." && last !== "?") words.push(ASKING.includes(words[0]) ? "?" : ".");
    if (words.length > 2 && TIMES.includes(words[0]) && words[1] !== ",") words.splice(1, 0, ",");
    return words.join(" ");
  },
  /* Return the sentences of a text. */
  splitText: text => strip(cleanText(text)).split(pattern(`(?<=[.?!])[${SPACE}]+`))
    .filter(part => part.match(pattern(`[${WORD}]`))),
  /* Return the words of a translation as a sentence. */
  writeText(text, language) {
    text = split(text).join(" ");
    for (const [apart, joined] of JOINS[language]) text = text.replaceAll(apart, joined);
    return text.replace(/^./u, first => first.toUpperCase());
  },
};

const others = {
  readText: text => strip(cleanText(text)),
  splitText: text => [others.readText(text)].filter(part => part),
  writeText: text => text,
};

// ---- A trained model with its vocabularies -------------------------------

class Translator {
  /* Arguments: a `Transformer`, its vocabularies, the name of its data and the
     language it writes, and the least probability of a sure translation. */
  constructor(model, source, target, data, language, sureFrom = 0) {
    Object.assign(this, { model, source, target, language, sureFrom });
    this.data = data === "storybook" ? storybook : others;
  }

  /* Return source ids with <eos>, of a text as `data.readText` returns it. */
  encode(text) {
    const ids = this.source.encode(cleanText(text)), limit = this.model.config.max_length - 1;
    expect(ids.length > 0 && ids.length <= limit, `a sentence of 1 to ${limit} tokens`, ids.length);
    return [...ids, EOS];
  }

  /* Translate one sentence as people type it.  The options are those of `greedy`;
     or of `beamSearch`, if there is a width above 1. */
  translate(typed, options = {}) {
    const source = this.encode(this.data.readText(typed)), unknown = this.findUnknown(typed);
    const search = options.width > 1 ? transformer.beamSearch : transformer.greedy;
    const { ids } = search(this.model, source, options);
    const least = this.findLeast(source, ids, options.changes);
    return {
      source, ids, sentence: this.data.writeText(this.target.decode(ids), this.language),
      least, unknown, isSure: least >= this.sureFrom && !unknown.length,
    };
  }

  /* Return the probability of the least probable word of a translation. */
  findLeast(source, ids, changes) {
    const cache = this.model.openCache(this.model.encode(source, changes));
    const { logits } = this.model.decode([BOS, ...ids], cache);  // (T, vocab)
    return Math.min(...[...ids, EOS].map((id, t) => Math.exp(
      transformer.logProbabilities(transformer.row(logits, t, this.target.length))[id])));
  }

  /* Return the words that the model does not know: { start, end, words }, the
     place in what was typed, and what is read there. */
  findUnknown(typed) {
    const isUnknown = word => this.source.encode(word).includes(UNK);
    return [...typed.matchAll(STRETCH)].map(({ 0: stretch, index: start }) => ({
      start, end: start + stretch.length, words: split(this.data.readText(stretch)).filter(isUnknown),
    })).filter(({ words }) => words.length);
  }

  /* Return known words for the one that is being typed: { start, end, words },
     the place that a word would fill, and the words, frequent ones first. */
  suggest(typed, caret = typed.length, count = 5) {
    const [begun] = typed.slice(0, caret).match(new RegExp(`[${WORD}]*$`, "u"));
    const words = begun ? this.source.complete(begun.toLowerCase(), count) : [];
    return { start: caret - begun.length, end: caret, words };
  }
}

/* Make a `Translator` of a run's folder: file name -> text, and of the weights
   an ArrayBuffer. */
function openTranslator(folder) {
  for (const name of ["config.json", "source.json", "target.json", "model.safetensors"])
    expect(folder[name], `a folder of attnbook train with ${name}`, "none");
  const read = name => {
    try {
      return JSON.parse(folder[name]) ?? {};
    } catch (error) {
      return expect(false, `JSON in ${name}`, error.message);
    }
  };
  const { kind, model, data } = read("config.json");
  expect(kind === "transformer" && model, "the config.json of a transformer", kind);
  expect(data?.length === 3, "data as a name and two languages in config.json", data);
  const [source, target] = ["source", "target"].map(side => {
    const { kind, [kind]: items } = read(`${side}.json`), size = model[`${side}_vocab`];
    expect((kind === "words" || kind === "merges") && items, `words or merges in ${side}.json`, kind);
    const vocabulary = kind === "words" ? new WordVocabulary(items) : new BytePairs(items);
    expect(vocabulary.length === size, `${size} tokens in ${side}.json, as in config.json`, vocabulary.length);
    return vocabulary;
  });
  const weights = transformer.readWeights(folder["model.safetensors"]);
  const { sure_from } = folder["sure.json"] ? read("sure.json") : {};
  return new Translator(new transformer.Transformer(model, weights), source, target, data[0], data[2], sure_from);
}

return { WordVocabulary, BytePairs, Translator, cleanText, storybook, others, openTranslator };
})();
