// SPDX-License-Identifier: MIT
const x = 1;
const y = 2;
const z = ;
