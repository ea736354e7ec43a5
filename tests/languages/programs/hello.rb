# SPDX-License-Identifier: MIT
puts "hello #{ARGV[0] || '-'} #{$stdin.gets.chomp}"
exit 3
