// What forms and links do without a script, done in place: parts of pages that change, charts,
// sliders. Nothing here is needed to use the lab.
(() => {
  "use strict";
  const root = document.documentElement;
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  // plotly reads its texts as a kind of HTML.
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const MARKERS = ["circle", "square", "diamond", "triangle-up"];

  // ---- Charts ------------------------------------------------------------------------------

  function trace(of) {
    const hue = colour("c" + (of.slot % 8));
    const common = { name: plain(of.name), x: of.x, y: of.y, legendgroup: of.name };
    if (of.dots) {
      return {
        ...common, mode: "markers", showlegend: false, opacity: .35, hoverinfo: "skip",
        marker: { color: hue, symbol: MARKERS[of.slot % 4], size: 3.4 },
      };
    }
    return {
      ...common,
      mode: of.markers || of.x.length === 1 ? "lines+markers" : "lines",
      line: { color: hue, width: 2.4, dash: DASHES[of.slot % 4] },
      marker: { color: hue, symbol: MARKERS[of.slot % 4], size: 8 },
      hovertemplate: "%{y:,.4~r}<extra>" + plain(of.name) + "</extra>",
    };
  }

  // Range of a vertical axis that does not start at zero: values that are alike do not fill it, so
  // that noise does not look like a change.
  function wide(chart) {
    const values = chart.traces.flatMap((one) => one.y).filter(Number.isFinite);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const middle = (least + most) / 2;
    const half = Math.max((most - least) * .55, Math.abs(middle) * .125);
    return half > 0 && Number.isFinite(half) ? [middle - half, middle + half] : undefined;
  }

  // Charts of which the user wants the vertical axis logarithmic.
  const logarithmic = new Set();

  function draw(place, chart) {
    const ink = colour("ink");
    const axis = (title) => ({
      title: { text: plain(title) }, gridcolor: colour("grid"), linecolor: colour("line"),
      zerolinecolor: colour("line"), tickcolor: colour("line"), automargin: true,
    });
    const data = chart.traces.map(trace);
    if (chart.of_dates) for (const one of data) one.x = one.x.map((ms) => new Date(ms));
    const layout = {
      uirevision: chart.id, // what the user zoomed stays when samples come
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: ink },
      margin: { l: 10, r: 10, t: 10, b: 10 },
      height: place.classList.contains("low") ? 300 : 420,
      xaxis: axis(chart.x), yaxis: { ...axis(chart.y), rangemode: chart.from_zero ? "tozero" : "normal" },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("muted"), activecolor: colour("ink") },
      hovermode: "x unified", hoverlabel: { bgcolor: colour("panel"), font: { color: ink } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      showlegend: chart.traces.some((one) => !one.dots) && chart.traces.length > 1,
    };
    if (!chart.of_dates) layout.xaxis.rangemode = "tozero";
    if (logarithmic.has(chart.id)) layout.yaxis.type = "log";
    else if (!chart.from_zero) layout.yaxis.range = wide(chart);
    const config = {
      responsive: true, displaylogo: false,
      // Beside the legend there is no room for it on a phone.
      displayModeBar: place.clientWidth > 600,
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    };
    window.Plotly.react(place, data, layout, config);
  }

  const drawn = new Map();

  function logBoxes(within) {
    for (const box of within.querySelectorAll("[data-log]")) {
      const name = box.dataset.log;
      box.closest("label").hidden = !window.Plotly;
      box.checked = logarithmic.has(name);
      box.addEventListener("change", () => {
        if (box.checked) logarithmic.add(name);
        else logarithmic.delete(name);
        const known = drawn.get(name);
        if (known) draw(known.place, JSON.parse(known.text));
      });
    }
  }
  function drawAll(within) {
    if (!window.Plotly) return;
    for (const place of within.querySelectorAll("[data-chart]")) {
      const text = place.nextElementSibling.textContent;
      const known = drawn.get(place.dataset.chart);
      // A chart that is there stays, with what the user zoomed and points at.
      const keep = known && known.place !== place && !known.place.isConnected;
      if (keep) place.replaceWith(known.place);
      const at = keep ? known.place : place;
      if (known && known.text === text && known.place === at && !known.stale) continue;
      drawn.set(at.dataset.chart, { place: at, text });
      draw(at, JSON.parse(text));
    }
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const known of drawn.values()) known.stale = true;
    drawAll(document);
  });

  // ---- Parts of pages that change ------------------------------------------------------------

  // Shows above a part of the page that the server does not answer, until it does again.
  function reachable(part) {
    const note = document.createElement("p");
    note.className = "banner";
    note.setAttribute("role", "status");
    note.textContent = "The server is not reached: it has ended, or is starting again. " +
      "This page keeps trying; the command “stend lab serve” starts the server.";
    return (reached) => {
      if (reached) note.remove();
      else if (!note.isConnected) part.before(note);
    };
  }

  function follow(part) {
    const every = Number(part.dataset.every);
    const reached = reachable(part);
    let before = "";
    const look = async () => {
      if (document.hidden) return void setTimeout(look, every);
      let over = false;
      try {
        const answer = await fetch(part.dataset.part);
        reached(true);
        if (answer.ok) {
          const text = await answer.text();
          const busy = part.contains(document.activeElement);
          if (text !== before) {
            const focused = busy ? document.activeElement.outerHTML : "";
            part.innerHTML = text;
            drawAll(part);
            logBoxes(part);
            // Who works by keyboard stays where they are.
            if (focused && !part.contains(document.activeElement)) {
              const again = [...part.querySelectorAll("a, button, input")];
              again.find((one) => one.outerHTML === focused)?.focus();
            }
            before = text;
          }
          over = part.querySelector("[data-over]") !== null;
        } else if (answer.status === 404 || answer.status === 403) {
          over = true;
        }
      } catch {
        reached(false);
      }
      if (!over) setTimeout(look, every);
    };
    setTimeout(look, every);
  }

  // ---- Forms ---------------------------------------------------------------------------------

  function sliders(form) {
    for (const slider of form.querySelectorAll("input[type=range]")) {
      const number = document.getElementById(slider.dataset.for);
      slider.hidden = false;
      slider.addEventListener("input", () => {
        const value = Number(slider.value);
        number.value = slider.step === "any" ? String(Number(value.toPrecision(4))) : slider.value;
      });
      number.addEventListener("input", () => { slider.value = number.value; });
    }
  }

  // A server that was started again accepts only forms with its own token: this page gets it.
  async function renewToken(form) {
    const answer = await fetch(form.getAttribute("action"));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const token = page.querySelector("input[name=token]")?.value;
    if (!token) return false;
    for (const one of document.querySelectorAll("input[name=token]")) one.value = token;
    return true;
  }

  function checks(form) {
    const place = document.getElementById("check");
    const reached = reachable(place);
    const send = () => fetch(form.dataset.check, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    let waiting = 0;
    let newest = 0;
    const check = async () => {
      const number = ++newest;
      try {
        let answer = await send();
        if (answer.status === 403 && await renewToken(form)) answer = await send();
        reached(true);
        if (answer.ok && number === newest) place.innerHTML = await answer.text();
      } catch {
        reached(false);
        if (number === newest) waiting = setTimeout(check, 1000);
      }
    };
    form.addEventListener("input", () => {
      for (const one of form.querySelectorAll("[data-original]")) {
        one.closest(".input").classList.toggle("changed", one.value !== one.dataset.original);
      }
      clearTimeout(waiting);
      waiting = setTimeout(check, 200);
    });
  }

  function file(input) {
    input.closest("label").hidden = false;
    input.addEventListener("change", async () => {
      if (input.files.length === 1) {
        document.getElementById(input.dataset.into).value = await input.files[0].text();
      }
    });
  }

  // Runs that are chosen for a comparison: also those on other pages of the list.
  function choices(bar) {
    const most = Number(bar.dataset.choose);
    const boxes = [...document.querySelectorAll("input[type=checkbox][name=run]")];
    const links = [...document.querySelectorAll("a[data-carries]")];
    const button = bar.querySelector("button.compare");
    const limit = bar.querySelector(".limit");
    const carry = (address, runs) => {
      const url = new URL(address, location.href);
      url.searchParams.delete("run");
      for (const run of runs) url.searchParams.append("run", run);
      return url.href;
    };
    const count = () => {
      const runs = boxes.filter((box) => box.checked).map((box) => box.value);
      const text = (words) => words.replace("{}", runs.length);
      button.disabled = runs.length < 2 || runs.length > most;
      button.textContent = text(runs.length < 2 ? bar.dataset.few : bar.dataset.some);
      limit.textContent = runs.length > most ? text(bar.dataset.many) : "";
      for (const link of links) link.href = carry(link.href, runs);
      // Who reloads the page or comes back to it finds the same choice.
      history.replaceState(null, "", carry(location.href, runs));
    };
    for (const box of boxes) box.addEventListener("change", count);
    addEventListener("pageshow", count);
    count();
  }

  function filter(input) {
    input.closest(".filter").hidden = false;
    const place = document.getElementById(input.dataset.filter);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of place.querySelectorAll("tbody tr")) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      for (const section of place.querySelectorAll("section")) {
        section.hidden = input.value !== "" && !section.querySelector("tbody tr:not([hidden])");
      }
    });
  }

  drawAll(document);
  logBoxes(document);
  document.querySelectorAll("[data-part]").forEach(follow);
  document.querySelectorAll("form.what-if").forEach((form) => { sliders(form); checks(form); });
  document.querySelectorAll("[data-choose]").forEach(choices);
  document.querySelectorAll("[data-filter]").forEach(filter);
  document.querySelectorAll("[data-into]").forEach(file);
})();
