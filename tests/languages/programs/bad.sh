# SPDX-License-Identifier: MIT
x=1
y=2
no-such-command-at-all
