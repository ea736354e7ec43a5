int main()
{
	int x = "text";
}
