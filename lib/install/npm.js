// SPDX-License-Identifier: MIT
/* Run by node inside a sandbox: npm, with archives out of the cache where they are the same.
 *
 *   build ARG…   install into node_modules of /workspace; in a container, of its working directory
 *   unpack ARG…  install into a folder that goes into the cache as a set; no program of a package runs
 *   use SET ARG… link what is in that set of the cache into node_modules
 *   list         what has been fetched: paths below content-v2/sha512 of npm's own cache
 *
 * npm keeps archives by the sum of their bytes, and compares it when it takes one out. */
'use strict';
const fs = require('fs');
const path = require('path');

// A sandbox without namespaces says where these are.
const { TERRARIUM_CACHE = '/var/cache/terrarium', TERRARIUM_WORKSPACE = '/workspace' } = process.env;
const CACHE = path.join(TERRARIUM_CACHE, 'npm');
const SET = path.join(TERRARIUM_WORKSPACE, '.terrarium-set');
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
	install(ROOM, args);
}

function install(room, args) {
	for (const [name] of walk(CACHE)) {
		const link = path.join(OWN, name);
		if (!fs.existsSync(link) && isArchive(path.join(CACHE, name))) {
			fs.mkdirSync(path.dirname(link), { recursive: true });
			fs.symlinkSync(path.join(CACHE, name), link);
		}
	}
	const { error, status, signal } = require('child_process').spawnSync('npm', ['install', '--prefix', room,
		'--no-audit', '--no-fund', '--no-update-notifier', ...args], { stdio: 'inherit', cwd: room });
	if (error && error.code === 'ENOENT')
		console.error(`there is no npm beside node: install it ${MADE ? 'in the image' : 'on the host'} (apt install npm)`);
	else if (error)
		console.error(`npm cannot be started: ${error.message}`);
	if (signal)
		process.kill(process.pid, signal);
	process.exitCode = status ?? 1;
}

/* A sum of all that is there: npm says nothing of times. */
function nameOf(root) {
	const total = require('crypto').createHash('sha256');
	for (const [name, is_link] of [...walk(root)].sort()) {
		const file = path.join(root, name);
		total.update(name + '\0' + (is_link ? fs.readlinkSync(file) : ''));
		if (is_link)
			continue;
		fs.chmodSync(file, fs.statSync(file).mode & 0o111 | 0o444);
		total.update(require('crypto').createHash('sha256').update(fs.readFileSync(file)).digest());
	}
	return total.digest('hex').slice(0, 32);
}

function unpack(args) {
	const root = path.join(SET, 'files');
	fs.mkdirSync(root, { recursive: true });
	install(root, ['--ignore-scripts', ...args]);
	if (!process.exitCode)
		fs.writeFileSync(path.join(SET, 'name'), nameOf(root) + '\n');
}

function link(from, to) {
	const own = fs.lstatSync(to, { throwIfNoEntry: false });
	if (own?.isSymbolicLink())
		fs.unlinkSync(to);
	else if (own)
		return; // the sandbox's own, which is for others to replace
	fs.mkdirSync(path.dirname(to), { recursive: true });
	fs.symlinkSync(from, to);
}

function use([set]) {
	const root = path.normalize(path.join(CACHE, '../sets', set, 'node_modules'));
	if (!fs.existsSync(root)) {
		console.error('the sandbox does not see the packages of this machine: it was started before they could be shared');
		process.exit(1);
	}
	for (const name of fs.readdirSync(root)) {
		const scoped = name[0] === '@' ? fs.readdirSync(path.join(root, name)).map(inner => path.join(name, inner)) : [name];
		for (const one of scoped)
			if (one[0] !== '.')
				link(path.join(root, one), path.join(ROOM, 'node_modules', one));
	}
}

function list() {
	for (const [name, is_link] of walk(OWN))
		if (!is_link)
			console.log(name);
}

const [verb, ...args] = process.argv.slice(1);
({ build, list, unpack, use })[verb](args);
