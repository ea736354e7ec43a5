# SPDX-License-Identifier: MIT
def main
  puts "hello #{ARGV[0] || '-'} #{$stdin.gets.chomp}"
  exit 3
end

main if __FILE__ == $0
