attnbookStart("fitting", ({ one, all, data, say, slider, button }) => {
  const [left, floor, km, minute, end] = data.place, count = data.rides.length;
  const across = x => left + km * x, up = y => floor - minute * y;
  const sign = (n, digits) => n.toFixed(digits).replace("-", "\u2212");
  const set = (element, places) => Object.entries(places).forEach(([name, n]) => element.setAttribute(name, n.toFixed(1)));
  let [slope, height] = data.start;
  const misses = () => data.rides.map(([x, y]) => slope * x + height - y);
  const loss = () => misses().reduce((sum, miss) => sum + miss * miss, 0) / count;
  function draw() {
    const cells = all("tbody td"), squares = all(".miss");
    set(one(".line"), { x1: across(0), y1: up(height), x2: across(5), y2: up(height + 5 * slope) });
    misses().forEach((miss, n) => {
      const [x, y] = data.rides[n], side = minute * Math.abs(miss);
      set(squares[n], { x: across(x), y: up(Math.max(y, y + miss)), width: side, height: side });
      if (cells.length) [[y, 0], [y + miss, 1], [miss, 1], [miss * miss, 2]].forEach(([value, digits], c) => {
        cells[4 * n + c].textContent = sign(value, digits);
      });
    });
    if (cells.length) one(".loss").textContent = sign(loss(), 2);
  }
  if (data.stops) {
    const show = () => { draw(); say(`Slope ${sign(slope, 1)}, height ${sign(height, 1)}: loss ${sign(loss(), 2)}.`); };
    ["slope", "height"].forEach((name, n) => {
      const stops = data.stops[n];
      slider(name, stops.map(s => sign(s, 1)), stops.indexOf(data.start[n]), at => { n ? height = stops[at] : slope = stops[at]; show(); });
    });
    show();
    return;
  }
  let rate = data.rates[data.rate], losses;
  const now = one(".now"), before = one(".before"), tip = one(".tip");
  const places = () => losses.map((value, n) => [left + (end - left) / data.steps * n, Math.max(up(value), -20)]);
  function show() {
    draw();
    now.setAttribute("points", places().join(" "));
    const [x, y] = places().pop();
    set(tip, { cx: x, cy: y });
    const step = losses.length - 1, high = losses[step] > 12 ? ", above the picture" : "";
    say(`Rate ${rate}, step ${step} of ${data.steps}: slope ${sign(slope, 2)}, height ${sign(height, 2)}, loss ${sign(losses[step], 2)}${high}.`);
    next.disabled = ten.disabled = step === data.steps;
  }
  function start() {
    if (losses && losses.length > 1) before.setAttribute("points", places().join(" "));
    [slope, height] = data.start;
    losses = [loss()];
    show();
  }
  function go(steps) {
    for (; steps && losses.length <= data.steps; steps--) {
      const all = misses();
      slope -= rate * 2 / count * all.reduce((sum, miss, n) => sum + miss * data.rides[n][0], 0);
      height -= rate * 2 / count * all.reduce((sum, miss) => sum + miss, 0);
      losses.push(loss());
    }
    show();
    if (losses.length > data.steps) again.focus();
  }
  slider("learning rate", data.rates, data.rate, at => { rate = data.rates[at]; start(); });
  const next = button("one step", () => go(1)), ten = button("all steps", () => go(data.steps)), again = button("start again", start);
  start();
});
