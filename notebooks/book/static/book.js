"use strict";

// Values on hover. The attribute data-marks of a picture holds texts for places of it, in shares of its width and height.
const reach = 14; // pixels from the pointer to a mark

const tip = document.createElement("output"); // a screen reader says its changes
tip.className = "mark-text";
const ring = document.createElement("span");
ring.className = "mark-ring";

function hide() {
  tip.remove();
  ring.remove();
}

function show(picture, mark) {
  const box = picture.getBoundingClientRect();
  const x = box.left + mark.x * box.width;
  const y = box.top + mark.y * box.height;
  tip.textContent = mark.text;
  document.body.append(ring, tip);
  const width = tip.offsetWidth;
  const left = Math.min(Math.max(x - width / 2, 4), document.documentElement.clientWidth - width - 4);
  const above = y - tip.offsetHeight - 10;
  ring.style.transform = `translate(${x}px, ${y}px)`;
  tip.style.transform = `translate(${left}px, ${above < 4 ? y + 10 : above}px)`;
}

function nearest(picture, marks, event) {
  const box = picture.getBoundingClientRect();
  let best = null;
  let least = reach;
  for (const mark of marks) {
    const away = Math.hypot(box.left + mark.x * box.width - event.clientX, box.top + mark.y * box.height - event.clientY);
    if (away <= least) [best, least] = [mark, away];
  }
  return best;
}

for (const picture of document.querySelectorAll("img[data-marks]")) {
  const marks = JSON.parse(picture.dataset.marks);
  let at = -1; // the mark that the arrow keys have reached
  const point = (event) => {
    const mark = nearest(picture, marks, event);
    mark ? show(picture, mark) : hide();
  };
  picture.tabIndex = 0;
  picture.addEventListener("pointermove", point);
  picture.addEventListener("pointerdown", point);
  picture.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
  picture.addEventListener("blur", hide);
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step || marks.length === 0) return;
    event.preventDefault(); // the page does not scroll
    at = (at + step + marks.length + (at < 0 && step < 0)) % marks.length;
    show(picture, marks[at]);
  });
}
document.addEventListener("scroll", hide, { capture: true, passive: true });
document.addEventListener("pointerdown", (event) => event.target.closest("img[data-marks]") || hide());
