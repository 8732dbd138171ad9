"""Answers to the tasks of chapter 1, Tokens and embeddings."""

import collections
import itertools
import random
import re

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from answers.registry import right, wrong
from attnbook.data.bpe import merge_step as package_merge_step
from attnbook.data.vocabulary import WordVocabulary

# ---------------------------------------------------------- build_vocab
TASK = "build_vocab"
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


def count(sentences):
    """Return how often each word occurs."""
    return collections.Counter(w for s in sentences for w in s.split())


def by_count(sentences):
    """Return the words in the order that the task asks for."""
    counts = count(sentences)
    return sorted(counts, key=lambda word: (-counts[word], word))


def number(names):
    """Return a dict of name -> place."""
    return {name: i for i, name in enumerate(names)}


@right(TASK)
def one_dict_for_all(train_sentences, specials):
    return number(dict.fromkeys([*specials, *by_count(train_sentences)]))


@right(TASK)
def loops(train_sentences, specials):
    counts = {}
    for sentence in train_sentences:
        for word in sentence.split():
            counts[word] = counts.get(word, 0) + 1
    vocab = {}
    for special in specials:
        vocab[special] = len(vocab)
    for _, word in sorted((-n, word) for word, n in counts.items()):
        if word not in vocab:
            vocab[word] = len(vocab)
    return vocab


@right(TASK)
def two_sorts(texts, marks):
    counts = collections.Counter(" ".join(texts).split())
    words = sorted(counts)
    words.sort(key=counts.get, reverse=True)  # stable
    vocab = dict(zip(marks, range(len(marks)), strict=True))
    for word in words:
        vocab.setdefault(word, len(vocab))
    return vocab


@right(TASK)
def most_common_of_sorted(sentences, specials):
    words = sorted(w for s in sentences for w in s.split())
    common = collections.Counter(words).most_common()
    rest = [w for w, _ in common if w not in set(specials)]
    names = itertools.chain(specials, rest)
    return collections.OrderedDict(zip(names, itertools.count()))


@right(TASK)
def of_the_package(sentences, specials):
    lines = [" ".join(s.split()) for s in sentences]
    words = WordVocabulary.learn(lines).words
    words = [*words, *(w for w in by_count(sentences) if w not in words)]
    counts = count(sentences)
    words.sort(key=lambda w: (-counts[w], w))
    return number([*specials, *(w for w in words if w not in specials)])


@right(TASK)
def integers_of_numpy(sentences, specials):
    names = list(dict.fromkeys([*specials, *by_count(sentences)]))
    return dict(zip(names, np.arange(len(names)), strict=True))


@wrong(TASK, "A set has no order")
def order_of_a_set(sentences, specials):
    words = {w for s in sentences for w in s.split()}
    return number(dict.fromkeys([*specials, *words]))


@wrong(TASK, "neither alphabetical nor that of the text")
def ties_of_a_set(sentences, specials):
    counts = count(sentences)
    words = sorted(set(counts), key=lambda w: -counts[w])
    return number(dict.fromkeys([*specials, *words]))


@wrong(TASK, "not for a text of 120 different words: the word '81' of the")
def the_hundred_most_frequent(sentences, specials):
    words = [w for w in by_count(sentences) if w not in specials]
    return number([*specials, *words[:100]])


@wrong(TASK, "two calls with the same sentences give other ids")
def numbered_by_chance(sentences, specials):
    words = sorted(count(sentences), key=lambda word: random.random())
    return number(dict.fromkeys([*specials, *words]))


@wrong(TASK, "keep the order")
def specials_in_a_set(sentences, specials):
    words = [w for w in by_count(sentences) if w not in specials]
    return number([*set(specials), *words])


@wrong(TASK, "it must go from token to id")
def id_to_word(sentences, specials):
    return dict(enumerate(one_dict_for_all(sentences, specials)))


@wrong(TASK, "return a dict of token")
def a_list(sentences, specials):
    return list(one_dict_for_all(sentences, specials))


MEMORY = {}


@wrong(TASK, "right at first, but not when it is called")
def remembers(sentences, specials):
    MEMORY.update(dict.fromkeys(by_count(sentences)))
    new = one_dict_for_all(sentences, specials)
    return new | {w: len(new) + i for i, w in enumerate(MEMORY.keys() - new)}


@wrong(TASK, "from str to Tensor; it must go from token")
def tensors(sentences, specials):
    vocab = one_dict_for_all(sentences, specials)
    return {word: torch.tensor(i) for word, i in vocab.items()}


@wrong(TASK, "your defaultdict also answers for words that it does not hold")
def invents_ids(sentences, specials):
    vocab = one_dict_for_all(sentences, specials)
    return collections.defaultdict(int, vocab)


@wrong(TASK, "the word 'the' of the text has no id")
def forgets_the_most_frequent(sentences, specials):
    return number([*specials, *by_count(sentences)[1:]])


@wrong(TASK, "two tokens share one id")
def counts_as_it_goes(sentences, specials):
    vocab = number(specials)
    for word in by_count(sentences):
        vocab[word] = len(specials) + len(word)
    return vocab


@wrong(TASK, "list: your function raised an error")
def tuples_only(sentences, specials):
    words = [w for w in by_count(sentences) if w not in specials]
    return number(specials + tuple(words))


@wrong(TASK, "[*specials, *words] takes both")
def lists_only(sentences, specials):
    words = [w for w in by_count(sentences) if w not in specials]
    return number(specials + words)


@wrong(TASK, "not for a list: your function changes its inputs in place")
def extends_a_list(sentences, specials):
    specials += tuple(w for w in by_count(sentences) if w not in specials)
    return number(specials)


@wrong(TASK, "the word '12' of the text has no id")
def without_numbers(sentences, specials):
    words = [w for w in by_count(sentences) if not w.isdigit()]
    return number(dict.fromkeys([*specials, *words]))


@wrong(TASK, "by the alphabet alone; and: rare words are left out")
def frequent_words_by_the_alphabet(sentences, specials):
    counts = count(sentences)
    words = sorted(w for w in counts if counts[w] > 1)
    return number(dict.fromkeys([*specials, *words]))


@wrong(TASK, "not without any special: the ids start at 1")
def needs_specials(sentences, specials):
    ids = number(specials)
    first = max(ids.values(), default=0) + 1
    words = [w for w in by_count(sentences) if w not in specials]
    return ids | {word: i for i, word in enumerate(words, start=first)}


# --------------------------------------------------------- encode_batch
TASK = "encode_batch"


def rows_of(sentences, vocab, max_length):
    """Return a row of ids per sentence, not yet filled up."""
    pad, bos, eos, unk = (vocab[name] for name in SPECIALS)
    cut = [s.split()[: max_length - 2] for s in sentences]
    known = {w: i for w, i in vocab.items() if w not in SPECIALS}
    return [[bos, *(known.get(w, unk) for w in row), eos] for row in cut]


def fill(rows, filler, length=None):
    """Make a tensor of rows, filled up at the end."""
    length = length or max(len(row) for row in rows)
    return torch.tensor([r + [filler] * (length - len(r)) for r in rows])


@right(TASK)
def lists(sentences, vocab, max_length):
    return fill(rows_of(sentences, vocab, max_length), vocab["<pad>"])


@right(TASK)
def into_a_full_tensor(sentences, vocab, max_length):
    rows = rows_of(sentences, vocab, max_length)
    batch = torch.full((len(rows), max(map(len, rows))), vocab["<pad>"])
    for i, row in enumerate(rows):
        batch[i, : len(row)] = torch.tensor(row)
    return batch


@right(TASK)
def pytorch_s_own_padding(sentences, vocab, max_length):
    rows = [torch.tensor(r) for r in rows_of(sentences, vocab, max_length)]
    return pad_sequence(rows, True, vocab["<pad>"])


@right(TASK)
def word_by_word(texts, ids, limit):
    batch = []
    for text in texts:
        row = [ids["<bos>"]]
        for word in text.split():
            if len(row) == limit - 1:
                break
            special = word in ("<pad>", "<bos>", "<eos>", "<unk>")
            found = word in ids and not special
            row.append(ids[word] if found else ids["<unk>"])
        batch.append([*row, ids["<eos>"]])
    longest = max(len(row) for row in batch)
    for row in batch:
        while len(row) < longest:
            row.append(ids["<pad>"])
    return torch.LongTensor(batch)


@right(TASK)
def transposed_twice(sentences, vocab, max_length):
    rows = rows_of(sentences, vocab, max_length)
    columns = itertools.zip_longest(*rows, fillvalue=vocab["<pad>"])
    return torch.tensor(list(columns)).T  # not contiguous


@right(TASK)
def cut_with_an_if(sentences, vocab, max_length):
    rows = rows_of(sentences, vocab, max_length=10**6)
    for row in rows:
        if len(row) > max_length:
            row[max_length - 1 :] = [vocab["<eos>"]]
    return fill(rows, vocab["<pad>"])


@wrong(TASK, "KeyError: 'xylophone'; this word is not in vocab, and unknown")
def unknown_crashes(sentences, vocab, max_length):
    rows = [[vocab[w] for w in s.split()] for s in sentences]
    return fill(rows, vocab["<pad>"])


@wrong(TASK, "changes its inputs")
def unknown_learned(sentences, vocab, max_length):
    for word in " ".join(sentences).split():
        vocab.setdefault(word, len(vocab))
    return lists(sentences, vocab, max_length)


@wrong(TASK, "inputs in place; make new ones")
def specials_taken_out(sentences, vocab, max_length):
    batch = lists(sentences, vocab, max_length)
    vocab.pop("<pad>")
    return batch


@wrong(TASK, "all rows are the same; [row] * n is one list")
def one_row_for_all(sentences, vocab, max_length):
    longest = max(sentences, key=len)
    return lists([longest] * len(sentences), vocab, max_length)


@wrong(TASK, "the batch must be a tensor, not list")
def a_list_of_rows(sentences, vocab, max_length):
    return lists(sentences, vocab, max_length).tolist()


@wrong(TASK, "torch.float32")
def floats(sentences, vocab, max_length):
    return lists(sentences, vocab, max_length).float()


@wrong(TASK, "needs two, sentences and places")
def one_long_row(sentences, vocab, max_length):
    return lists(sentences, vocab, max_length).flatten()


@wrong(TASK, "the first wrong id is in row 0 at place 1")
def off_by_one(sentences, vocab, max_length):
    shifted = {w: i + (w not in SPECIALS) for w, i in vocab.items()}
    return lists(sentences, shifted, max_length)


@wrong(TASK, "but 1 rows")
def only_the_last_row(sentences, vocab, max_length):
    return lists(sentences, vocab, max_length)[-1:]


@wrong(TASK, "an axis of size 1 is gone; leave squeeze out")
def squeezed(sentences, vocab, max_length):
    return lists(sentences, vocab, max_length).squeeze()


@wrong(TASK, "row i is sentence i")
def rows_reversed(sentences, vocab, max_length):
    return lists(sentences[::-1], vocab, max_length)


@wrong(TASK, "no row ends in <eos>; and: the padding stands in front")
def no_eos_and_padding_in_front(sentences, vocab, max_length):
    rows = rows_of(sentences, vocab, max_length)
    return fill([row[:-1][::-1] for row in rows], vocab["<pad>"]).flip(1)


@wrong(TASK, "unknown words are dropped")
def literal_specials_are_dropped(sentences, vocab, max_length):
    plain = [[w for w in s.split() if w not in SPECIALS] for s in sentences]
    return lists(map(" ".join, plain), vocab, max_length)


@wrong(TASK, "there are 3 sentences, but 2 rows")
def rows_of_different_sentences(sentences, vocab, max_length):
    return lists(list(dict.fromkeys(sentences)), vocab, max_length)


@wrong(TASK, "not where a row with unknown words is cut")
def cut_where_known_words_are_many(sentences, vocab, max_length):
    pad, bos, eos, unk = (vocab[name] for name in SPECIALS)
    known = {w: i for w, i in vocab.items() if w not in SPECIALS}
    rows = []
    for sentence in sentences:
        row, room = [], max_length - 2
        for word in sentence.split():
            room -= word in known
            if room >= 0:
                row.append(known.get(word, unk))
        rows.append([bos, *row, eos])
    return fill(rows, pad)


BATCHES = {}


@wrong(TASK, "not for the same sentences and another max_length")
def keeps_old_batches(sentences, vocab, max_length):
    new = lists(sentences, vocab, max_length)
    return BATCHES.setdefault(tuple(sentences), new)


@wrong(TASK, "hold digits or a special: the first wrong id")
def words_with_digits_are_unknown(sentences, vocab, max_length):
    unk = vocab["<unk>"]
    signs = {i for w, i in vocab.items() if any(c.isdigit() for c in w)}
    rows = rows_of(sentences, vocab, max_length)
    rows = [[unk if i in signs else i for i in row] for row in rows]
    return fill(rows, vocab["<pad>"])


# ----------------------------------------------------------- merge_step
TASK = "merge_step"


def pair_counts(words):
    """Return how often each pair of neighbours occurs."""
    counts = collections.Counter()
    for word, times in words.items():
        for pair in itertools.pairwise(word):
            counts[pair] += times
    return counts


def best_of(counts):
    """Return the most frequent pair, ties alphabetical."""
    return min(counts, key=lambda pair: (-counts[pair], pair))


def merged(word, pair):
    """Return a word with the pair merged from left to right."""
    new, place = [], 0
    while place < len(word):
        if word[place : place + 2] == pair:
            new.append(pair[0] + pair[1])
            place += 2
        else:
            new.append(word[place])
            place += 1
    return tuple(new)


def apply(words, pair, how=merged):
    """Return the new dict."""
    new = collections.Counter()
    for word, times in words.items():
        new[tuple(how(word, pair))] += times
    return dict(new)


@right(TASK)
def with_a_pointer(words):
    pair = best_of(pair_counts(words))
    return pair, apply(words, pair)


right(TASK)(package_merge_step)


@right(TASK)
def by_index(words):
    counts = {}
    for word in words:
        for i in range(len(word) - 1):
            pair = word[i], word[i + 1]
            counts[pair] = counts.get(pair, 0) + words[word]
    top = max(counts.values())
    pair = sorted(p for p, n in counts.items() if n == top)[0]
    new = {}
    for word in words:
        symbols, i = list(word), 0
        while i < len(symbols) - 1:
            if (symbols[i], symbols[i + 1]) == pair:
                symbols[i : i + 2] = ["".join(pair)]
            i += 1
        key = tuple(symbols)
        new[key] = new.get(key, 0) + words[word]
    return [pair, new]


@right(TASK)
def with_a_regular_expression(words):
    pair = best_of(pair_counts(words))
    found = re.compile(r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)")
    new = collections.defaultdict(int)
    for word, times in words.items():
        text = found.sub("".join(pair), " ".join(word))
        new[tuple(text.split())] += times
    return pair, new


@right(TASK)
def with_a_stack(words):
    counts = pair_counts(words)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    pair = ranked[0][0]

    def stack(word, pair):
        done = []
        for symbol in word:
            if done and (done[-1], symbol) == pair:
                done[-1] = done[-1] + symbol
            else:
                done.append(symbol)
        return done

    return pair, apply(words, pair, stack)


def second_kept_last_lost(word, pair):
    new = []
    for i in range(len(word) - 1):
        hit = (word[i], word[i + 1]) == pair
        new.append(word[i] + word[i + 1] if hit else word[i])
    return new


@wrong(TASK, "the last symbol of a word is lost where it is not merged; walk")
def both_slips(words):
    pair = best_of(pair_counts(words))
    return pair, apply(words, pair, second_kept_last_lost)


@wrong(TASK, "('o', 'n', 'o', 'n', 'o', 'n', 'o') must be ('o', 'no', 'no', ")
def removes_another_symbol(words):
    pair = best_of(pair_counts(words))

    def joined(word, pair):
        symbols = list(word)
        for i in range(len(symbols) - 1):
            if tuple(symbols[i : i + 2]) == pair:
                symbols[i] = "".join(pair)
                symbols.remove(pair[1])
        return symbols

    return pair, apply(words, pair, joined)


@wrong(TASK, "tuples of symbols, not str")
def keys_as_they_are_printed(words):
    pair, new = with_a_pointer(words)
    return pair, {str(word): n for word, n in new.items()}


@wrong(TASK, "('a', 'b') is not the most frequent pair")
def counts_up_to_twenty(words):
    counts = pair_counts(words)
    pair = best_of({pair: min(counts[pair], 20) for pair in counts})
    return pair, apply(words, pair)


@wrong(TASK, "return the dict alone")
def only_the_dict(words):
    return with_a_pointer(words)[1]


@wrong(TASK, "return the pair alone")
def only_the_pair(words):
    return with_a_pointer(words)[0]


@wrong(TASK, "the dict first")
def exchanged(words):
    pair, new = with_a_pointer(words)
    return new, pair


@wrong(TASK, "you return two dicts")
def counts_first(words):
    return {("a", "b"): 3}, with_a_pointer(words)[1]


@wrong(TASK, "must be a number, no list")
def lists_of_counts(words):
    pair, merged = with_a_pointer(words)
    return pair, {word: [count] for word, count in merged.items()}


@wrong(TASK, "your pair is one string")
def joined_pair(words):
    pair, new = with_a_pointer(words)
    return "".join(pair), new


@wrong(TASK, "must be a tuple of two symbols")
def pair_and_count(words):
    pair, new = with_a_pointer(words)
    return (*pair, pair_counts(words)[pair]), new


@wrong(TASK, "changes its inputs")
def in_place(words):
    pair, new = with_a_pointer(words)
    words.clear()
    words.update(new)
    return pair, words


@wrong(TASK, "no word may be lost or doubled")
def doubles_a_word(words):
    pair, new = with_a_pointer(words)
    return pair, new | {max(new): 2 * new[max(new)]}


@wrong(TASK, "raised an error")
def forgets_short_words(words):
    counts = collections.Counter()
    for word, times in words.items():
        counts[word[0], word[1]] += times
        for pair in itertools.pairwise(word[1:]):
            counts[pair] += times
    pair = best_of(counts)
    return pair, apply(words, pair)


@wrong(TASK, "of equally frequent pairs the alphabetically first one wins")
def ties_of_a_set_of_pairs(words):
    counts = pair_counts(words)
    pair = max(set(counts), key=counts.get)
    return pair, apply(words, pair)
