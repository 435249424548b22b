// It runs in the page, once for each widget. After every move it sends the values of all controls to the cell's program. It shows the
// pictures that come back.
// id is the element's, and the first part of the addresses.
id => {
	const root = document.getElementById(id), picture = root.querySelector(".picture"), status = root.querySelector(".status");
	const began = {}; // when the message with a number was sent
	let number = 0, shown = 0, answered = false, ended = false, running = null, comm = null;

	function send(message) {
		if (ended || !comm) return;
		if (!message.hello) {
			message.n = ++number;
			message.values = Object.fromEntries([...root.querySelectorAll("[data-name]")].map(control => [control.dataset.name, control.value]));
			began[number] = performance.now();
		}
		if (message.stop) { ended = true; clearTimeout(running); status.textContent = "ending"; }
		comm.send(id + "/in", JSON.stringify(message));
	}

	function show(text) {
		const answer = JSON.parse(text);
		answered = true;
		if (answer.closed) { ended = true; return; }
		if (answer.n < shown) return;
		shown = answer.n;
		picture.innerHTML = answer.svg;
		if (!began[answer.n]) return;
		const since = began[answer.n];
		requestAnimationFrame(() => {
			root.dataset.latency = (root.dataset.latency || "") + " " + Math.round(performance.now() - since);
			root.dataset.shown = answer.n;
		});
		if (running && answer.n == number) running = setTimeout(advance, 120);
	}

	// moveTo sets a range and tells the program.
	function moveTo(range, value) {
		range.value = value;
		range.nextElementSibling.textContent = range.value;
		send({});
	}

	let played = null; // the range that runs, and its button
	function advance() {
		const {range, button} = played;
		if (Number(range.value) >= Number(range.max)) return pause();
		moveTo(range, Number(range.value) + Number(range.step));
		button.textContent = "pause";
	}
	function pause() {
		clearTimeout(running);
		running = null;
		played.button.textContent = "play";
	}

	for (const range of root.querySelectorAll("input[type=range]"))
		range.addEventListener("input", () => moveTo(range, range.value));
	for (const input of root.querySelectorAll("input[type=text], select"))
		input.addEventListener("input", () => send({}));
	for (const button of root.querySelectorAll("[data-step], [data-run]")) {
		const range = button.parentElement.querySelector("input");
		button.addEventListener("click", () => {
			if (running) return pause();
			if (button.dataset.step) return moveTo(range, Number(range.value) + Number(button.dataset.step) * Number(range.step));
			played = {range, button};
			if (Number(range.value) >= Number(range.max)) moveTo(range, range.min);
			running = setTimeout(advance, 0);
		});
	}
	root.querySelector("[data-stop]").addEventListener("click", () => send({stop: true}));

	// The widget ends when another cell waits. One waits if more than one prompt shows a star: this cell's own is one of them.
	function look() {
		if (ended) return;
		const waiting = [...document.querySelectorAll(".jp-InputPrompt")].filter(p => p.textContent.includes("*")).length;
		if (waiting > 1) send({stop: true});
		setTimeout(look, 300);
	}

	// GoNB puts gonb_comm into the page at the same time as this script, and a new one after the kernel has started again.
	function greet(tries) {
		if (answered || tries == 0) return;
		if (globalThis.gonb_comm && globalThis.gonb_comm !== comm) {
			comm = globalThis.gonb_comm;
			comm.subscribe(id + "/out", (address, text) => show(text));
		}
		send({hello: true});
		setTimeout(() => greet(tries - 1), 100);
	}
	greet(100);
	setTimeout(look, 300);
}
