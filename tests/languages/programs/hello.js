// SPDX-License-Identifier: MIT
const fs = require('fs');

function main() {
	console.log('hello', process.argv[2] ?? '-', fs.readFileSync(0, 'utf8').trim());
	process.exit(3);
}

if (require.main === module)
	main();
