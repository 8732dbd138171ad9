/* The Transformer of this course in JavaScript, without a library.

   It computes what the package attnbook computes, under the same names: see
   transformer.py, stacks.py, multihead.py, attention.py, layers.py, positions.py,
   decoding/.  It reads one sentence at a time: there is no axis B, and no padding.

   An array is a Float32Array, one row after the other.  Comments give its shape:
     T queries, S keys, D = d_model, H heads, d_k = D / H, F = d_ff, N layers,
     vocab words of the vocabulary; H x (T, d_k) is a list of one array per head.
   No function changes what it is given; what a page may draw is returned. */
var transformer = (() => {
"use strict";

const PAD = 0, BOS = 1, EOS = 2;
const PARTS = ["encoder", "decoder", "cross"];  // the three attentions
const BASE = 10000, EPS = 1e-5;

/* Refuse what does not hold: say what was expected and what came. */
function expect(holds, wanted, got) {
  if (!holds) throw new Error(`expected ${wanted}, got ${got}`);
}

// ---- Weights and settings ------------------------------------------------

/* Read a safetensors file, an ArrayBuffer: name -> { shape, data }.

   Eight bytes say how long the header is; the header, in JSON, says of each
   tensor its type, its shape and where its bytes lie behind the header. */
function readWeights(buffer) {
  const wanted = "a safetensors file, which begins with a header in JSON";
  const size = buffer.byteLength, bytes = new Uint8Array(buffer), tensors = {};
  expect(size > 8, wanted, `a file of ${size} bytes`);
  const start = 8 + Number(new DataView(buffer).getBigUint64(0, true));
  expect(start <= size, wanted, "another file, or one that is cut off");
  let header = "", end = start;
  for (let i = 8; i < start; i++) header += String.fromCharCode(bytes[i]);
  try {
    header = JSON.parse(header) ?? {};
  } catch {
    expect(false, wanted, "another file");
  }
  delete header.__metadata__;
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    expect(shape?.map && data_offsets?.map, wanted, `one with no shape or place of ${name}`);
    expect(dtype === "F32" || dtype === "F16", `${name} as F32 or F16`, dtype);
    const [from, to] = data_offsets.map(place => start + place);
    const width = dtype === "F32" ? 4 : 2, room = shape.reduce((n, axis) => n * axis, width);
    expect(to - from === room, `${room} bytes of ${name}`, to - from);
    end = Math.max(end, to);
    expect(end <= size, `a whole file, at least ${end} bytes`, size);
    const own = buffer.slice(from, to);
    tensors[name] = { shape, data: width === 4 ? new Float32Array(own) : widen(new Uint16Array(own)) };
  }
  expect(end === size, `a file of ${end} bytes, as its header says`, size);
  return tensors;
}

/* Turn float16 into float32.  Both have a sign, an exponent and a fraction; once
   they are in their new places, a product mends the exponent. */
function widen(halves) {
  const bits = new Uint32Array(halves.length), data = new Float32Array(bits.buffer);
  halves.forEach((half, i) => {
    bits[i] = (half & 0x7fff) << 13;
    data[i] *= (half & 0x8000 ? -1 : 1) * 2 ** 112;
    if ((half & 0x7c00) === 0x7c00) data[i] = half & 0x3ff ? NaN : data[i] * Infinity;
  });
  return data;
}

/* Refuse settings that no model can have: config.py. */
function checkConfig(config) {
  const kinds = ["sinusoidal", "learned", "rotary", "none"];
  const { d_model: D, num_heads: H, positions, source_vocab, target_vocab } = config;
  for (const name of ["source_vocab", "target_vocab", "d_model", "num_heads", "d_ff",
    "num_encoder_layers", "num_decoder_layers", "max_length"])
    expect(Number.isInteger(config[name]) && config[name] > 0, `${name} as an int of at least 1`, config[name]);
  for (const name of ["pre_norm", "shared_embeddings"])
    expect(typeof config[name] === "boolean", `${name} as true or false`, config[name]);
  expect(D % H === 0, "d_model divisible by num_heads", `${D} and ${H}`);
  expect(kinds.includes(positions), `positions out of ${kinds.join(", ")}`, positions);
  expect(positions !== "rotary" || D / H % 2 === 0, "an even width per head for rotary positions", D / H);
  expect(!config.shared_embeddings || source_vocab === target_vocab,
    "one vocabulary to share embeddings", `${source_vocab} and ${target_vocab} tokens`);
}

/* Return the name and shape of every tensor that a model has. */
function listShapes(config) {
  const { d_model: D, d_ff: F, max_length } = config, shapes = {};
  const matrix = (name, out, into) => {
    shapes[name + ".weight"] = [out, into];
    shapes[name + ".bias"] = [out];
  };
  const norm = name => { shapes[name + ".gain"] = shapes[name + ".bias"] = [D]; };
  const stack = (name, count, attentions) => {
    for (let n = 0; n < count; n++) {
      const layer = `${name}.layers.${n}`;
      for (const kind of attentions) {
        for (const w of ["w_q", "w_k", "w_v", "w_o"]) matrix(`${layer}.${kind}_attention.${w}`, D, D);
        norm(`${layer}.around_${kind}.norm`);
      }
      matrix(`${layer}.feed_forward.inner`, F, D);
      matrix(`${layer}.feed_forward.outer`, D, F);
      norm(`${layer}.around_feed.norm`);
    }
    if (config.pre_norm) norm(`${name}.norm`);
  };
  stack("encoder", config.num_encoder_layers, ["self"]);
  stack("decoder", config.num_decoder_layers, ["self", "cross"]);
  shapes["output.weight"] = [config.target_vocab, D];  // the only table, if it is shared
  for (const side of ["source", "target"]) {
    if (!config.shared_embeddings) shapes[`${side}_embedding.table.weight`] = [config[`${side}_vocab`], D];
    if (config.positions === "learned") shapes[`${side}_embedding.add.table`] = [max_length, D];
  }
  return shapes;
}

/* Lay tensors out as the package's modules lie: "encoder.norm.gain" becomes
   encoder.norm.gain.  Refuse those of another model. */
function buildParts(config, tensors) {
  const shapes = listShapes(config), parts = {};
  const say = shape => shape ? `shape (${shape.join(", ")})` : "none";
  for (const name of Object.keys({ ...shapes, ...tensors })) {
    const wanted = say(shapes[name]), got = say(tensors[name]?.shape);
    expect(wanted === got, `weights of this model, of ${name} ${wanted}`, got);
    const path = name.split("."), last = path.pop();
    path.reduce((part, key) => part[key] ??= {}, parts)[last] = tensors[name];
  }
  for (const stack of [parts.encoder, parts.decoder]) stack.layers = Object.values(stack.layers);
  if (config.shared_embeddings)
    for (const side of ["source_embedding", "target_embedding"])
      parts[side] = { ...parts[side], table: parts.output };
  return parts;
}

// ---- Arithmetic ----------------------------------------------------------

/* Return x W^T + b, (T, O), of vectors x, (T, I); W is kept as PyTorch keeps it,
   (O, I).  Four rows of W are read side by side, so that each number of x serves
   four sums: most of the time is spent here. */
function linear(x, { weight, bias }) {
  const [O, I] = weight.shape, w = weight.data, T = x.length / I, last = (O - 1) * I;
  const y = new Float32Array(T * O);
  for (let o = 0; o < O; o += 4) {
    const p = o * I, q = Math.min(p + I, last), r = Math.min(q + I, last), s = Math.min(r + I, last);
    for (let t = 0; t < T; t++) {
      let one = 0, two = 0, three = 0, four = 0;
      for (let i = 0; i < I; i++) {
        const number = x[t * I + i];
        one += number * w[p + i];
        two += number * w[q + i];
        three += number * w[r + i];
        four += number * w[s + i];
      }
      const at = t * O + o;
      y[at] = one;
      if (o + 1 < O) y[at + 1] = two;
      if (o + 2 < O) y[at + 2] = three;
      if (o + 3 < O) y[at + 3] = four;
    }
  }
  if (bias) for (let i = 0; i < y.length; i++) y[i] += bias.data[i % O];
  return y;
}

/* Give every vector mean 0 and variance 1, then rescale it. */
function layerNorm(x, { gain, bias }) {
  const D = gain.data.length, y = new Float32Array(x.length);
  for (let at = 0; at < x.length; at += D) {
    let mean = 0, variance = 0;
    for (let i = 0; i < D; i++) mean += x[at + i] / D;
    for (let i = 0; i < D; i++) variance += (x[at + i] - mean) ** 2 / D;
    const root = Math.sqrt(variance + EPS);
    for (let i = 0; i < D; i++) y[at + i] = gain.data[i] * (x[at + i] - mean) / root + bias.data[i];
  }
  return y;  // (T, D)
}

const add = (x, y) => x.map((number, i) => number + y[i]);
const row = (x, t, width) => x.subarray(t * width, (t + 1) * width);  // (width,)

/* Send every vector through the same two-layer network. */
function feedForward(x, { inner, outer }) {
  const hidden = linear(x, inner).map(number => Math.max(0, number));  // (T, F)
  return { hidden, output: linear(hidden, outer) };  // (T, D)
}

// ---- Positions -----------------------------------------------------------

/* Return by how many radians pair i of a vector turns per position. */
const frequency = (i, width) => Math.exp(-2 * i / width * Math.log(BASE));

/* Write every position as sines and cosines of many wavelengths. */
function sinusoids(length, D) {
  return Float32Array.from({ length: length * D }, (_, at) => {
    const i = at % D, angle = Math.floor(at / D) * frequency(i >> 1, D);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });  // (length, D)
}

/* Turn each pair of numbers of a query or key by its position. */
function rotate(x, d_k, start) {
  const turned = new Float32Array(x.length);
  for (let at = 0; at < x.length; at += 2) {
    const angle = (start + Math.floor(at / d_k)) * frequency(at % d_k / 2, d_k);
    const cos = Math.cos(angle), sin = Math.sin(angle);
    turned[at] = x[at] * cos - x[at + 1] * sin;
    turned[at + 1] = x[at] * sin + x[at + 1] * cos;
  }
  return turned;  // (T, d_k)
}

// ---- Attention: project, score, mask, normalise, mix ---------------------

/* Project: make queries, keys or values from vectors, and split the heads. */
const project = (x, matrix, H) => splitHeads(linear(x, matrix), matrix.weight.shape[0], H);

/* Score: compare every query with every key. */
function score(q, k, d_k) {
  const T = q.length / d_k, S = k.length / d_k, scores = new Float32Array(T * S);
  for (let t = 0; t < T; t++)
    for (let s = 0; s < S; s++) {
      let sum = 0;
      for (let i = 0; i < d_k; i++) sum += q[t * d_k + i] * k[s * d_k + i];
      scores[t * S + s] = sum / Math.sqrt(d_k);
    }
  return scores;  // (T, S)
}

/* Mask: hide keys that must not be read.  In a mask, 1 means "may attend". */
const hide = (scores, mask) => scores.map((number, i) => mask[i] ? number : -Infinity);

/* Normalise: turn the scores of each row into weights that sum to 1. */
function normalise(scores, S) {
  const weights = new Float32Array(scores.length);
  for (let at = 0; at < scores.length; at += S) {
    let most = -Infinity, sum = 0;
    for (let s = at; s < at + S; s++) most = Math.max(most, scores[s]);
    for (let s = at; s < at + S; s++) sum += weights[s] = Math.exp(scores[s] - most);
    for (let s = at; s < at + S; s++) weights[s] /= sum;
  }
  return weights;  // (T, S)
}

/* Mix: average the values with these weights. */
function mix(weights, v, S, d_k) {
  const T = weights.length / S, context = new Float32Array(T * d_k);
  for (let t = 0; t < T; t++)
    for (let s = 0; s < S; s++)
      for (let i = 0; i < d_k; i++) context[t * d_k + i] += weights[t * S + s] * v[s * d_k + i];
  return context;  // (T, d_k)
}

/* Attend in one head; `findEdges` says who may read whom there. */
function attend(q, k, v, d_k, { mask, zeroed, isSilent }) {
  const S = k.length / d_k;
  const scores = score(q, k, d_k);  // (T, S)
  const whole = normalise(hide(scores, mask), S);  // (T, S)
  const weights = whole.map((weight, i) => zeroed[i] ? 0 : weight);  // (T, S)
  const context = mix(weights, v, S, d_k);  // (T, d_k)
  return { scores, mask, weights, context: isSilent ? context.fill(0) : context };
}

/* Cut the width into heads, one block of d_k numbers each. */
function splitHeads(x, D, H) {
  const d_k = D / H, T = x.length / D;
  return Array.from({ length: H }, (_, h) => {
    const head = new Float32Array(T * d_k);
    for (let t = 0; t < T; t++) head.set(row(x, t * H + h, d_k), t * d_k);
    return head;
  });  // (T, D) -> H x (T, d_k)
}

/* Lay the heads side by side again. */
function mergeHeads(heads, d_k) {
  const H = heads.length, x = new Float32Array(H * heads[0].length);
  heads.forEach((head, h) => {
    for (let t = 0; t * d_k < head.length; t++) x.set(row(head, t, d_k), (t * H + h) * d_k);
  });
  return x;  // H x (T, d_k) -> (T, D)
}

/* Lay rows below others: keys of new words below those of the past. */
function join(past, x) {
  const joined = new Float32Array(past.length + x.length);
  joined.set(past);
  joined.set(x, past.length);
  return joined;
}

// ---- Changes: what chapter 15 does to a model ----------------------------

/* A change is one of
     { how: "silence", part, layer, head }           the head's context is 0
     { how: "cut", part, layer, head, query, key }   hidden before the softmax
     { how: "zero", part, layer, head, query, key }  weight 0 after the softmax
     { how: "patch", depth, place, state }           another vector, (D,), in the
       encoder's stream; depth 0 is before the first layer, N after the last.
   A part is one of PARTS.  All else counts from 0; what is left out means all. */
function checkChanges(changes) {
  const hows = ["silence", "cut", "zero", "patch"];
  for (const { how, part } of changes) {
    expect(hows.includes(how), `a change out of ${hows.join(", ")}`, how);
    expect(how === "patch" || PARTS.includes(part), `a part out of ${PARTS.join(", ")}`, part);
  }
}

/* Say who may read whom in one head: `mask` and `zeroed`, (T, S) each. */
function findEdges({ part, layer, start, changes }, head, T, S) {
  const fits = (asked, is) => asked === undefined || asked === is;
  const here = changes.filter(c => c.part === part && fits(c.layer, layer) && fits(c.head, head));
  const names = (how, query, key) => here.some(
    c => c.how === how && fits(c.query, query) && fits(c.key, key));
  const mask = new Uint8Array(T * S), zeroed = new Uint8Array(T * S);
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < S; s++) {
      const isFuture = part === "decoder" && s > start + t;
      mask[t * S + s] = !isFuture && !names("cut", start + t, s);
      zeroed[t * S + s] = names("zero", start + t, s);
    }
    expect(row(mask, t, S).includes(1), "at least one key that each query may attend to",
      `none for query ${start + t} (${part}, layer ${layer}, head ${head})`);
  }
  return { mask, zeroed, isSilent: here.some(c => c.how === "silence") };
}

/* Put other vectors into the encoder's stream, (S, D). */
function patch(x, depth, changes) {
  const patched = x.slice();
  for (const c of changes)
    if (c.how === "patch" && c.depth === depth) patched.set(c.state, c.place * c.state.length);
  return patched;
}

// ---- The model -----------------------------------------------------------

class Transformer {
  /* Arguments: "model" of a run's config.json, and what `readWeights` returns. */
  constructor(config, tensors) {
    checkConfig(config);
    Object.assign(this, { config, d_k: config.d_model / config.num_heads }, buildParts(config, tensors));
    this.sinusoids = sinusoids(config.max_length, config.d_model);  // (max_length, D)
  }

  /* Read the source.

     Returns the `memory`, (S, D), and what led to it: what `embed` returns, and
     in `layers` for each layer `self` and `feed`, see `around`. */
  encode(source, changes = []) {
    checkChanges(changes);
    const first = this.embed(source, "source", 0), layers = [];
    let x = first.stream = patch(first.stream, 0, changes);  // (S, D)
    this.encoder.layers.forEach((layer, n) => {
      const where = { part: "encoder", layer: n, start: 0, changes };
      const self = this.around(x, layer.around_self, y => this.attendSelf(y, layer, where));
      const feed = this.around(self.stream, layer.around_feed, y => feedForward(y, layer.feed_forward));
      x = feed.stream = patch(feed.stream, n + 1, changes);  // (S, D)
      layers.push({ self, feed });
    });
    return { ...first, layers, memory: this.finish(x, "encoder"), changes };
  }

  /* Return the cache from which the first word is decoded, of what `encode`
     returns: for each layer the keys and values of past words, and of the source. */
  openCache({ memory, changes }) {
    const H = this.config.num_heads, nothing = Array(H).fill(new Float32Array(0));
    const layers = this.decoder.layers.map(({ cross_attention: { w_k, w_v } }) => ({
      self: { k: nothing, v: nothing },  // H x (t, d_k)
      cross: { k: project(memory, w_k, H), v: project(memory, w_v, H) },  // H x (S, d_k)
    }));
    return { length: 0, layers, changes };
  }

  /* Read target words, one or many, behind those of a cache; score the next.

     Returns the `logits`, (T, vocab), the new `cache` (the old one can be gone on
     from, too), and what led to them, as `encode` does; layers have `cross`, too. */
  decode(target, cache) {
    const { length: start, changes } = cache;
    const first = this.embed(target, "target", start), layers = [];
    let x = first.stream;  // (T, D)
    this.decoder.layers.forEach((layer, n) => {
      const where = { part: "decoder", layer: n, start, changes }, past = cache.layers[n];
      const self = this.around(x, layer.around_self, y => this.attendSelf(y, layer, where, past.self));
      const cross = this.around(self.stream, layer.around_cross,
        y => this.attendMemory(y, layer, { ...where, part: "cross" }, past.cross));
      const feed = this.around(cross.stream, layer.around_feed, y => feedForward(y, layer.feed_forward));
      x = feed.stream;  // (T, D)
      layers.push({ self, cross, feed });
    });
    const states = this.finish(x, "decoder");  // (T, D)
    const kept = layers.map(({ self: { k, v }, cross }) => ({ self: { k, v }, cross: { k: cross.k, v: cross.v } }));
    return {
      ...first, layers, states, logits: linear(states, this.output),  // (T, vocab)
      cache: { length: start + target.length, layers: kept, changes },
    };
  }

  /* Look up a vector per token, scale it, add its position, (T, D) each. */
  embed(ids, side, start) {
    const { d_model: D, max_length, positions } = this.config, vocab = this.config[side + "_vocab"];
    const { table, add: learned } = this[side + "_embedding"], end = start + ids.length;
    expect(ids.length > 0, `at least one ${side} token`, "none");
    expect(end <= max_length, `at most ${max_length} positions`, end);
    const embedding = new Float32Array(ids.length * D);
    ids.forEach((id, t) => {
      expect(Number.isInteger(id) && id >= 0 && id < vocab, `${side} ids from 0 to ${vocab - 1}`, id);
      embedding.set(row(table.weight.data, id, D).map(number => number * Math.sqrt(D)), t * D);
    });
    const places = { sinusoidal: this.sinusoids, learned: learned?.table.data }[positions];
    const position = places ? places.slice(start * D, end * D) : null;
    return { ids, embedding, position, stream: position ? add(embedding, position) : embedding };
  }

  /* Go through a sublayer beside the residual, with a norm before it (pre-norm)
     or behind the sum (post-norm), (T, D) each.

     Returns what the sublayer `read`, its `output` and what is inside, the `sum`
     of stream and output, and the new `stream`. */
  around(x, { norm }, sublayer) {
    const { pre_norm } = this.config;
    const read = pre_norm ? layerNorm(x, norm) : x;
    const inside = sublayer(read), sum = add(x, inside.output);
    return { read, ...inside, sum, stream: pre_norm ? sum : layerNorm(sum, norm) };
  }

  /* Attend to the words themselves, and to past ones. */
  attendSelf(x, { self_attention: { w_q, w_k, w_v, w_o } }, where, past) {
    const { num_heads: H, positions } = this.config;
    const turn = head => positions === "rotary" ? rotate(head, this.d_k, where.start) : head;
    const q = project(x, w_q, H).map(turn);  // H x (T, d_k)
    let k = project(x, w_k, H).map(turn), v = project(x, w_v, H);  // H x (T, d_k)
    if (past) {
      k = k.map((head, h) => join(past.k[h], head));  // H x (S, d_k)
      v = v.map((head, h) => join(past.v[h], head));  // H x (S, d_k)
    }
    return this.attendHeads(q, k, v, w_o, where);
  }

  /* Attend to the memory, whose keys and values are there already. */
  attendMemory(x, { cross_attention: { w_q, w_o } }, where, { k, v }) {
    return this.attendHeads(project(x, w_q, this.config.num_heads), k, v, w_o, where);
  }

  /* Attend in every head, merge, project by W^O.

     Returns the `output`, (T, D), and a list of one array per head each: `q`,
     `k`, `v`, `scores`, `mask`, `weights`, `context`. */
  attendHeads(q, k, v, w_o, where) {
    const { d_k } = this, T = q[0].length / d_k, S = k[0].length / d_k;
    const heads = q.map((_, h) => attend(q[h], k[h], v[h], d_k, findEdges(where, h, T, S)));
    const found = { q, k, v };
    for (const name of ["scores", "mask", "weights", "context"]) found[name] = heads.map(head => head[name]);
    return { ...found, output: linear(mergeHeads(found.context, d_k), w_o) };
  }

  /* A pre-norm stack ends with a norm of its own. */
  finish(x, stack) {
    return this.config.pre_norm ? layerNorm(x, this[stack].norm) : x;
  }
}

// ---- From logits to a sentence -------------------------------------------

/* Return the logarithm of the probability of each next word, (vocab,). */
function logProbabilities(logits) {
  const most = logits.reduce((a, b) => Math.max(a, b));
  const total = most + Math.log(logits.reduce((sum, number) => sum + Math.exp(number - most), 0));
  const scores = new Float64Array(logits).map(number => number - total);
  scores[PAD] = scores[BOS] = -Infinity;  // never written
  return scores;
}

/* Return the ids of the `count` largest scores, best first. */
const likeliest = (scores, count) => Array.from(scores.keys())
  .filter(id => scores[id] > -Infinity).sort((a, b) => scores[b] - scores[a]).slice(0, count);

/* Return how many words are written at most, if nobody says: the source's
   length and a half, plus ten, if there are so many positions. */
const longestFor = (model, source) =>
  Math.min(model.config.max_length - 1, Math.floor(source.length * 3 / 2) + 10);

/* Read the source; return the cache from which writing begins. */
function begin(model, source, longest, changes) {
  const limit = model.config.max_length - 1;
  expect(longest >= 1 && longest <= limit, `a longest output of 1 to ${limit} words`, longest);
  return model.openCache(model.encode(source, changes));
}

/* Write one word after the other, as `pick` chooses ids by their scores, (vocab,).

   Returns the `ids`, without <bos> and <eos>, the probability of each word that
   was chosen, <eos> too, and whether the sentence has ended. */
function generate(model, source, pick, { longest = longestFor(model, source), changes = [] } = {}) {
  let cache = begin(model, source, longest, changes), word = BOS, logits;
  const ids = [], probabilities = [];
  while (ids.length < longest && word !== EOS) {
    ({ logits, cache } = model.decode([word], cache));
    const scores = logProbabilities(logits);  // (vocab,)
    word = pick(scores);
    probabilities.push(Math.exp(scores[word]));
    if (word !== EOS) ids.push(word);
  }
  return { ids, probabilities, hasEnded: word === EOS };
}

/* Write the most probable next word, again and again. */
const greedy = (model, source, options) => generate(model, source,
  scores => scores.indexOf(scores.reduce((a, b) => Math.max(a, b))), options);

/* Draw every next word.  `random` returns numbers from 0 to below 1; the options
   are those of `chances` and of `generate`. */
const sample = (model, source, random, options) => generate(model, source,
  scores => draw(chances(scores, options), random()), options);

/* Return the probabilities with which the next word is drawn, (vocab,).

   `temperature` divides the scores.  `top_k` keeps the k most probable words,
   `top_p` the fewest that together reach a probability. */
function chances(scores, { temperature = 1, top_k = Infinity, top_p = 1 } = {}) {
  expect(temperature > 0, "a temperature above 0", temperature);
  expect(top_k >= 1, "a top_k of at least 1", top_k);
  expect(top_p > 0 && top_p <= 1, "a top_p above 0 and at most 1", top_p);
  const order = likeliest(scores, Infinity), most = scores[order[0]];
  const powers = scores.map(number => Math.exp((number - most) / temperature));
  const all = powers.reduce((a, b) => a + b), kept = new Float64Array(scores.length);
  let sum = 0;
  for (const id of order.slice(0, top_k)) {
    if (top_p < 1 && sum >= top_p * all) break;
    sum += kept[id] = powers[id];
  }
  return kept.map(power => power / sum);
}

/* Return the id on which a number falls, with the probabilities side by side. */
function draw(probabilities, number) {
  let sum = 0;
  const found = probabilities.findIndex(p => (sum += p) > number);
  return found < 0 ? probabilities.findLastIndex(p => p > 0) : found;
}

/* Return what a sum of log-probabilities is divided by; <eos> counts. */
const lengthPenalty = (length, alpha) => ((5 + length) / 6) ** alpha;

/* Keep the `width` best beginnings; choose the best ended sentence.

   Returns its `ids`, its node in the tree (`best`), and the tree: for each of the
   `steps` the 2 * width best continuations, best first.  A node has its `parent`,
   `id`, `logProbability`, the `total` of these, and a `fate`:
     "open"    it goes on
     "narrow"  dropped: not among the `width` best that go on
     "ended"   <eos>, put aside; `score` is the total divided by the penalty
     "late"    <eos>, dropped: not among the `width` best
     "full"    <eos>, dropped: `width` sentences have ended already */
function beamSearch(model, source,
  { width = 5, alpha = 0.6, longest = longestFor(model, source), changes = [] } = {}) {
  expect(Number.isInteger(width) && width >= 1, "a width of at least 1", width);
  let open = [{ id: BOS, total: 0, cache: begin(model, source, longest, changes) }];
  const ended = [], steps = [];
  while (steps.length < longest && ended.length < width && open.length) {
    const nodes = open.flatMap(parent => extend(model, parent, 2 * width))
      .sort((a, b) => b.total - a.total).slice(0, 2 * width);  // at most half of them end
    steps.push(nodes);
    open = [];
    nodes.forEach((node, place) => {
      node.score = node.total / lengthPenalty(steps.length, alpha);
      if (node.id !== EOS) node.fate = open.length < width ? "open" : "narrow";
      else node.fate = place >= width ? "late" : ended.length < width ? "ended" : "full";
      if (node.fate === "open") open.push(node);
      if (node.fate === "ended") ended.push(node);
    });
  }
  const found = ended.length ? ended : open.slice(0, 1);  // nothing ended in time
  const best = found.reduce((a, b) => b.score > a.score ? b : a);
  return { ids: listIds(best), best, steps };
}

/* Return the best continuations of a beginning, nodes of the tree. */
function extend(model, parent, count) {
  const { logits, cache } = model.decode([parent.id], parent.cache);
  const scores = logProbabilities(logits);  // (vocab,)
  return likeliest(scores, count).map(id => (
    { parent, id, logProbability: scores[id], total: parent.total + scores[id], cache }));
}

/* Return the words that lead to a node of the tree, without <bos> and <eos>. */
function listIds(node) {
  const ids = [];
  for (; node.parent; node = node.parent) if (node.id !== EOS) ids.unshift(node.id);
  return ids;
}

return {
  PAD, BOS, EOS, PARTS, expect, readWeights, checkConfig, Transformer, row, logProbabilities, likeliest,
  longestFor, generate, greedy, sample, chances, draw, lengthPenalty, beamSearch, listIds,
};
})();
