attnbookStart("clocks", ({ one, all, data, say, slider }) => {
  const [left, zero, wide, high] = data.place, [first, row, step, size] = data.round;
  let [distance, hands] = data.start;
  const angle = (d, n) => d * data.speeds[n];
  const product = d => data.speeds.slice(0, hands).reduce((sum, speed) => sum + Math.cos(d * speed), 0);
  const spot = d => [(left + wide * d).toFixed(1), (zero - high * product(d) / hands).toFixed(1)];
  const write = n => n.toFixed(2).replace("-", "\u2212");
  const stops = [...Array(data.last + 1).keys()];
  function show(change) {
    all(".clock").forEach((clock, n) => {
      const x = first + step * n, a = angle(distance, n);
      clock.classList.toggle("off", n >= hands);
      clock.querySelector("path").setAttribute("d",
        `M${x} ${row}L${(x + size * Math.sin(a)).toFixed(1)} ${(row - size * Math.cos(a)).toFixed(1)}`);
      clock.querySelector("text").textContent = write(Math.cos(a));
    });
    one(".curve").setAttribute("points", stops.map(d => spot(d).join(",")).join(" "));
    const [x, y] = spot(distance);
    one(".here").setAttribute("cx", x);
    one(".here").setAttribute("cy", y);
    const text = `${distance} places apart, ${hands} hand${hands > 1 ? "s" : ""}: product ${write(product(distance))}, at most ${hands}.`;
    one(".x-sum").textContent = text;
    if (change) say(text);
  }
  slider("distance", stops, distance, n => { distance = n; show(1); });
  slider("hands", data.speeds.map((_, n) => n + 1), hands - 1, n => { hands = n + 1; show(1); });
  say("Move the sliders, by hand or with the arrow keys.");
  show();
});
