/* SPDX-License-Identifier: MIT */
typedef int term_seed;
