// Ranks what the search finds; search_index.py says what the index holds.
// Sphinx puts this file into the page of the search, behind its own script.

stopwords.push(
  ..."am an between can do does did from get give had has have how i its me mean my our so than use used we what when where which who why with would you your 가 과 는 란 를 로 에 에서 와 으로 은 을 의 이 이란 무엇 무엇인가 무엇인가요 뭔가요 뭐 왜 어떻게".split(" ")
);

// What is typed is cut and spelled as the index is: a Korean ending, or word,
// is one of its own behind Latin letters.
const WORD = /\d+(?:[.,]\d+)+|\p{Script=Hangul}+|(?:(?!\p{Script=Hangul})[\p{Letter}\p{Number}_])+/gu;
splitQuery = (query) => query.normalize("NFC").match(WORD) ?? [];

const spell = (word) =>
  /^\d/.test(word)
    ? word.replaceAll(",", /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(word) ? "" : ".")
    : word
        .replace(/([a-z]{3})is(e[ds]?|ers?|ing|ations?)$/, "$1iz$2")
        .replace(/([a-z]{3})our/g, "$1or");

const stems = (text) => {
  const stemmer = new Stemmer();
  return splitQuery(text.toLowerCase())
    .filter((word) => !stopwords.includes(word))
    .map(spell)
    .filter((word) => !/^\d{1,2}$/.test(word))
    .map((word) => (/^\d/.test(word) ? word : stemmer.stemWord(word)));
};

const parse = Search._parseQuery;
Search._parseQuery = (query) => {
  const [typed, , ...rest] = parse(query);
  return [typed, new Set(stems(query)), ...rest];
};

const HANGUL = /\p{Script=Hangul}/u;
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

// How much of a name was asked for, times how much of the question it answers.
// A section is read on its page: a word that another title of the page has
// counts too, but less.
const likeness = (asked, name, page, isTitle) => {
  const words = [...new Set(name.split(" "))];
  const met = asked.filter((word) => words.includes(word)).length;
  const near = asked.filter(
    (word) => isTitle && !words.includes(word) && Search._index.titleterms[word]?.includes(page)
  ).length;
  const answered = (met + 0.7 * near) / asked.length;
  return met && answered >= 0.6 ? (answered * met) / words.length : 0;
};

// The same for Korean, by letters: spaces stand as one likes, and a word may
// have an ending that the name has not.
const likenessKorean = (asked, name) => {
  const whole = name.replaceAll(" ", "");
  const begins = (word) => {
    let length = word.length;
    while (length && !whole.includes(word.slice(0, length))) length--;
    return length > 1 || length === word.length ? length : 0;
  };
  const all = sum(asked.map((word) => word.length));
  const met = sum(asked.map(begins));
  return met > all / 3 ? met ** 2 / (all * whole.length) : 0;
};

// Places with a name; the glossary and the page of symptoms come behind the
// sections that they lead to, and an exercise behind the text.  Where several
// symptoms have the words, their list comes first.
const namedPlaces = (asked) => {
  const { docnames, entries, titles } = Search._index;
  const plain = asked.filter((word) => !HANGUL.test(word));
  const found = new Map();
  for (const [name, page, anchor, title, isTitle] of entries) {
    const share = !HANGUL.test(name)
      ? likeness(plain, name, page, isTitle)
      : plain.length < asked.length ? likenessKorean(asked, name) : 0;
    if (!share) continue;
    const isExercise = share < 1 && title.startsWith("Exercise");
    const isWord = docnames[page].endsWith("/glossary");
    const isSymptom = docnames[page].endsWith("/symptoms");
    const score = 20 + 80 * share - (isWord || isSymptom) - 15 * isExercise;
    const known = found.get(page + "#" + anchor);
    found.set(page + "#" + anchor, [
      page,
      title === titles[page] || isWord ? title : `${titles[page]} > ${title}`,
      anchor && `#${anchor}`,
      isWord ? "glossary" : null,
      known ? Math.max(known[4], score) + 2 * isSymptom : score,
    ]);
  }
  return [...found.values()];
};

// Pages that hold most of the words: a title counts more than a text, and the
// page that has a word most often more than the next.
const pagesWith = (asked) => {
  const { entries, terms, titleterms } = Search._index;
  const scores = new Map();
  const add = (page, word, score) => {
    const found = scores.get(page) ?? scores.set(page, {}).get(page);
    found[word] = Math.max(found[word] ?? 0, score);
  };
  const alike = (word) =>
    terms[word] || word.length < 3 || /^\d/.test(word)
      ? [word]
      : Object.keys(terms).filter((term) => term.includes(word));
  for (const word of asked) {
    (titleterms[word] ?? []).forEach((page) => add(page, word, 15));
    for (const [name, page, anchor, , isTitle] of entries)
      if (isTitle && !anchor && name.split(" ").includes(word)) add(page, word, 25);
    for (const like of alike(word))
      (terms[like] ?? []).forEach((page, i) => add(page, word, 5 + 9 / (1 + i)));
  }
  const most = Math.max(...[...scores.values()].map((s) => Object.keys(s).length));
  return [...scores]
    .filter(([, found]) => Object.keys(found).length === most)
    .map(([page, found]) => [
      page, Search._index.titles[page], "", null, sum(Object.values(found)) / asked.length
    ]);
};

Search.performTermsSearch = (words) => {
  const asked = [...words];
  const { docnames, filenames } = Search._index;
  return [...namedPlaces(asked), ...pagesWith(asked)]
    .map(([page, ...rest]) => [docnames[page], ...rest, filenames[page]])
    .sort((a, b) => b[4] - a[4])
    .slice(0, 20); // an excerpt is fetched for each
};

// Excerpts of the text alone.
Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page
    .querySelectorAll(".math, .cell_output, .headerlink, h1")
    .forEach((part) => part.remove());
  const part = anchor && page.getElementById(anchor.slice(1));
  return (part || page.querySelector("article"))?.textContent ?? "";
};
