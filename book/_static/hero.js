/* The front page's picture: where a trained translator looks. */
document.querySelectorAll(".atn-hero:not([data-ready])").forEach(hero => {
  hero.dataset.ready = "yes";
  const data = JSON.parse(hero.querySelector("script").textContent);
  const { it, step } = data;
  const layers = data.readings[0].it.length, heads = data.readings[0].it[0].length;
  let reading = 0, asks = step, head = -1;  // head -1: the mean of all

  function make(tag, name, text, parent) {
    const node = document.createElement(tag);
    if (name) node.className = name;
    node.textContent = text;
    if (tag === "button") node.type = "button";
    return parent.appendChild(node);
  }
  function group(name, label, parent) {
    const box = make("div", name, "", parent);
    box.setAttribute("role", "group");
    box.ariaLabel = label;
    return box;
  }
  /* One tab stop; arrows, Home, End walk.  A mouse only looks. */
  function walk(buttons, held, choose, looks) {
    buttons.forEach((b, n) => {
      b.tabIndex = n === held ? 0 : -1;
      const pick = () => {
        buttons[held].tabIndex = -1;
        b.tabIndex = 0;
        choose(held = n);
      };
      b.addEventListener("click", pick);
      b.addEventListener("focus", () => { if (b.matches(":focus-visible")) pick(); });
      if (looks) {
        b.addEventListener("pointerenter", e => { if (e.pointerType === "mouse") choose(n); });
        b.addEventListener("pointerleave", () => choose(held));
      }
      b.addEventListener("keydown", e => {
        const to = { ArrowRight: n + 1, ArrowDown: n + 1, ArrowLeft: n - 1, ArrowUp: n - 1, Home: 0, End: buttons.length - 1 }[e.key];
        if (to === undefined) return;
        e.preventDefault();
        (buttons[to] || b).focus();
      });
    });
  }

  hero.querySelector("table").hidden = true;
  const bar = make("div", "atn-hero-bar", "", hero);
  const turn = group("atn-hero-turn", "The last word of the sentence", bar);
  make("span", "", "The animal didn’t cross the street because it was too", turn);
  const turns = data.readings.map(r => make("button", "", r.source[it + 3], turn));
  bar.append(hero.querySelector("a"));

  const stage = make("div", "atn-hero-stage", "", hero);
  const svg = name => document.createElementNS("http://www.w3.org/2000/svg", name);
  const drawn = stage.appendChild(svg("svg"));
  drawn.setAttribute("aria-hidden", "true");
  const top = group("atn-hero-row", "English, which the model reads", stage);
  const low = group("atn-hero-row", "French, which it writes", stage);
  top.lang = "en";
  low.lang = "fr";
  const keys = data.readings[0].source.map((w, n) => make(n === it ? "button" : "span", "atn-key", "", top));
  const marks = keys.map(k => [make("b", "", "", k), make("span", "", "", k)]);
  const words = data.readings[0].target.map(w => make("button", "", w, low));
  const say = make("p", "atn-hero-say", "", hero);
  say.setAttribute("role", "status");

  const pick = group("atn-hero-heads", "Which head", hero);
  const names = ["mean of all heads"], chips = [make("button", "", names[0], pick)];
  for (let n = 0; n < layers; n++) {
    make("span", "", "layer " + n, pick);
    for (let h = 0; h < heads; h++) {
      names.push("layer " + n + ", head " + h);
      chips.push(make("button", "", h, pick));
      chips.at(-1).setAttribute("aria-label", names.at(-1));
    }
  }

  function weights() {
    const now = data.readings[reading];
    const all = asks < 0 ? now.it.flat() : now.cross.flat().map(rows => rows[asks]);
    if (head >= 0) return all[head];
    return keys.map((_, s) => all.reduce((sum, row) => sum + row[s], 0) / all.length);
  }
  const two = n => (n / 100).toFixed(2);

  function lines(row, from) {
    const box = stage.getBoundingClientRect(), tall = getComputedStyle(top).flexDirection === "column";
    const at = (node, side) => {
      const r = node.getBoundingClientRect(), x = r.left - box.left, y = r.top - box.top;
      return tall ? [x + (side ? r.width : 0), y + r.height / 2] : [x + r.width / 2, y + (side ? r.height : 0)];
    };
    const self = asks < 0;
    drawn.replaceChildren(...row.map((w, s) => {
      const path = svg("path");
      const [x, y] = at(from, 0), [u, v] = at(keys[s], !self);
      const bend = self ? Math.min(58, 0.42 * Math.hypot(u - x, v - y)) : 0;
      const c = tall
        ? self ? [x - bend, y, u - bend, v] : [(x + u) / 2, y, (x + u) / 2, v]
        : self ? [x, y - bend, u, v - bend] : [x, (y + v) / 2, u, (y + v) / 2];
      path.setAttribute("d", "M" + [x, y] + "C" + c + "," + [u, v]);
      path.style.strokeWidth = w < 0.5 || (self && s === it) ? 0 : 1 + w / 9;
      return path;
    }));
  }

  function show() {
    const now = data.readings[reading], row = weights();
    keys.forEach((k, s) => {
      k.style.setProperty("--w", row[s]);
      marks[s][0].textContent = row[s] < 0.5 ? "" : two(row[s]);
      marks[s][1].textContent = now.source[s];
      k.classList.toggle("none", row[s] < 0.5);
    });
    words.forEach((b, t) => { b.textContent = now.target[t]; b.setAttribute("aria-pressed", t === asks); });
    keys[it].setAttribute("aria-pressed", asks < 0);
    keys[it].ariaLabel = two(row[it]) + " it";
    turns.forEach((b, n) => b.setAttribute("aria-pressed", n === reading));
    chips.forEach((b, n) => b.setAttribute("aria-pressed", n === head + 1));
    const most = row.map((w, s) => [w, now.source[s]]).sort((a, b) => b[0] - a[0]).filter(([w], n) => n < 3 && w >= 0.5);
    say.textContent = (asks < 0 ? "The English word “it”" : "To write “" + now.target[asks] + "”, the model") +
      " looks at " + most.map(([w, s]) => "“" + s + "” " + two(w)).join(", ") + " (" + names[head + 1] + ").";
    lines(row, asks < 0 ? keys[it] : words[asks]);
  }

  walk(turns, 0, n => { reading = n; show(); });
  walk([...words, keys[it]], step, n => { asks = n < words.length ? n : -1; show(); }, true);
  walk(chips, 0, n => { head = n - 1; show(); });
  new ResizeObserver(show).observe(stage);
});
