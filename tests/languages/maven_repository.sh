#!/bin/sh
# SPDX-License-Identifier: MIT
# maven_repository.sh FOLDER: make a repository of Maven's in the folder, with org.example:outer:1.2, which needs org.example:inner:1.2.
# outer.Thing.answer() gives 42. Maven's own dependency plugin is not installed with Debian's maven, so a small one of the
# same name takes its place: Maven resolves what the project needs, and the plugin copies it.
set -eu
into=$(realpath "$1")
home=$(readlink -f "$(command -v mvn)")
lib=${home%/bin/*}/lib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The version that Maven asks for if nothing names one.
plugin_version() {
	python3 -c 'import glob, re, sys, zipfile
jar = glob.glob(sys.argv[1] + "/maven-model-builder*.jar")[0]
pom = zipfile.ZipFile(jar).read("org/apache/maven/model/pom-4.0.0.xml").decode()
found = re.search(r"<artifactId>maven-dependency-plugin</artifactId>\s*<version>([^<]+)", pom)
print(found[1] if found else "2.8")' "$lib"
}

# put GROUP NAME VERSION PACKAGING DEPENDENCIES: the files of the folder `classes` as a package.
put() {
	place=$into/$(echo "$1" | tr . /)/$2/$3
	mkdir -p "$place"
	python3 -c 'import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as jar:
	jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
	for folder, _, names in os.walk("classes"):
		for name in names:
			path = os.path.join(folder, name)
			jar.write(path, os.path.relpath(path, "classes"))' "$place/$2-$3.jar"
	echo "<project><modelVersion>4.0.0</modelVersion><groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version>
<packaging>$4</packaging><dependencies>$5</dependencies></project>" >"$place/$2-$3.pom"
	rm -rf classes
	mkdir classes
}

mkdir classes
put org.codehaus.plexus plexus-utils 1.1 jar '' # which Maven gives to every plugin

version=$(plugin_version)
cat >Copy.java <<'END'
package own;

public class Copy extends org.apache.maven.plugin.AbstractMojo {
	private org.apache.maven.project.MavenProject project;
	private java.io.File outputDirectory;

	public void execute() throws org.apache.maven.plugin.MojoExecutionException {
		try {
			outputDirectory.mkdirs();
			for (org.apache.maven.artifact.Artifact one : project.getArtifacts())
				java.nio.file.Files.copy(one.getFile().toPath(), outputDirectory.toPath().resolve(one.getFile().getName()),
					java.nio.file.StandardCopyOption.REPLACE_EXISTING);
		} catch (java.io.IOException e) {
			throw new org.apache.maven.plugin.MojoExecutionException("cannot copy", e);
		}
	}
}
END
javac --release 8 -Xlint:-options -cp "$lib/*" -d classes Copy.java
mkdir -p classes/META-INF/maven
cat >classes/META-INF/maven/plugin.xml <<END
<plugin><name>copy</name><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>
<version>$version</version><goalPrefix>dependency</goalPrefix><mojos><mojo><goal>copy-dependencies</goal>
<requiresDependencyResolution>runtime</requiresDependencyResolution><requiresProject>true</requiresProject>
<implementation>own.Copy</implementation><language>java</language>
<instantiationStrategy>per-lookup</instantiationStrategy><executionStrategy>once-per-session</executionStrategy><parameters>
<parameter><name>project</name><type>org.apache.maven.project.MavenProject</type></parameter>
<parameter><name>outputDirectory</name><type>java.io.File</type></parameter></parameters><configuration>
<project implementation="org.apache.maven.project.MavenProject" default-value="\${project}"/>
<outputDirectory implementation="java.io.File" default-value="none">\${outputDirectory}</outputDirectory>
</configuration></mojo></mojos></plugin>
END
put org.apache.maven.plugins maven-dependency-plugin "$version" maven-plugin ''
echo "<metadata><plugins><plugin><name>copy</name><prefix>dependency</prefix>
<artifactId>maven-dependency-plugin</artifactId></plugin></plugins></metadata>" >"$into/org/apache/maven/plugins/maven-metadata.xml"
echo "<metadata><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId><versioning>
<release>$version</release><versions><version>$version</version></versions></versioning></metadata>" \
	>"$into/org/apache/maven/plugins/maven-dependency-plugin/maven-metadata.xml"

echo 'package inner; public class Part { public static final Integer X = 42; }' >Part.java
echo 'package outer; public class Thing { public static int answer() { return inner.Part.X; } }' >Thing.java
javac -d part Part.java
javac -cp part -d thing Thing.java
cp -r part/. classes
put org.example inner 1.2 jar ''
cp -r thing/. classes
put org.example outer 1.2 jar '<dependency><groupId>org.example</groupId><artifactId>inner</artifactId><version>1.2</version></dependency>'
