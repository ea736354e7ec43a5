// SPDX-License-Identifier: MIT
/* Run by node inside a sandbox: npm, with archives out of the cache where they are the same.
 *
 *   build ARG…   install into node_modules of /workspace; in a container, of its working directory
 *   list         what has been fetched: paths below content-v2/sha512 of npm's own cache
 *
 * npm keeps archives by the sum of their bytes, and compares it when it takes one out. */
'use strict';
const fs = require('fs');
const path = require('path');

// A sandbox without namespaces says where these are.
const { TERRARIUM_CACHE = '/var/cache/terrarium', TERRARIUM_WORKSPACE = '/workspace' } = process.env;
const CACHE = path.join(TERRARIUM_CACHE, 'npm');
const MADE = fs.existsSync('/.terrarium');
const ROOM = MADE ? process.cwd() : TERRARIUM_WORKSPACE;
const OWN = path.join(process.env.HOME, '.npm/_cacache/content-v2/sha512');

/* [path below root, whether it is a link] of all that is no folder. */
function* walk(root, below = '') {
	let entries = [];
	try {
		entries = fs.readdirSync(path.join(root, below), { withFileTypes: true });
	} catch {} // there is none
	for (const entry of entries) {
		const name = path.join(below, entry.name);
		if (entry.isDirectory())
			yield* walk(root, name);
		else
			yield [name, entry.isSymbolicLink()];
	}
}

/* What the index says of packages is kept there as well, but npm 9 writes that anew each time, and stumbles over a
 * file that it cannot change. */
function isArchive(file) {
	const start = Buffer.alloc(2);
	const fd = fs.openSync(file, 'r');
	fs.readSync(fd, start);
	fs.closeSync(fd);
	return start[0] === 0x1f && start[1] === 0x8b; // gzip
}

function build(args) {
	for (const [name] of walk(CACHE)) {
		const link = path.join(OWN, name);
		if (!fs.existsSync(link) && isArchive(path.join(CACHE, name))) {
			fs.mkdirSync(path.dirname(link), { recursive: true });
			fs.symlinkSync(path.join(CACHE, name), link);
		}
	}
	const { error, status, signal } = require('child_process').spawnSync('npm', ['install', '--prefix', ROOM,
		'--no-audit', '--no-fund', '--no-update-notifier', ...args], { stdio: 'inherit', cwd: ROOM });
	if (error && error.code === 'ENOENT')
		console.error(`there is no npm beside node: install it ${MADE ? 'in the image' : 'on the host'} (apt install npm)`);
	else if (error)
		console.error(`npm cannot be started: ${error.message}`);
	if (signal)
		process.kill(process.pid, signal);
	process.exitCode = status ?? 1;
}

function list() {
	for (const [name, is_link] of walk(OWN))
		if (!is_link)
			console.log(name);
}

const [verb, ...args] = process.argv.slice(1);
({ build, list })[verb](args);
