# SPDX-License-Identifier: MIT
x = 1
y = 2
z = )
