#include <iostream>
#include <map>
#include <string>
int main(int argc, char **argv)
{
	std::map<int, std::string> words{{0, "hello"}, {1, argc > 1 ? argv[1] : "-"}};
	std::string line;
	std::getline(std::cin, line);
	std::cout << words[0] << ' ' << words[1] << ' ' << line << '\n';
	return 3;
}
