// SPDX-License-Identifier: MIT
function adapt(code) { return code; }
function clash_of(details) { return null; }
function untangle(code) { return code; }
