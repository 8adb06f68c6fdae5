import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The archetype of {@code mvn archetype:generate}: the project of docs/writing-a-controller.md. Its files are the
 * blocks of the page, with the user's names in the place of the page's.
 */
final class Archetype {
    private static final Path PAGE = Path.of("docs", "writing-a-controller.md");
    /** A block of code, and the path of its file, which ends the sentence before it. */
    private static final Pattern BLOCK = Pattern.compile("(?ms)`([^`\\n]+)`:\\n\\n^```(?!sh\\n)\\w*\\n(.*?)^```$");
    private static final LocalDateTime DATE = LocalDateTime.of(1980, 2, 1, 0, 0);
    private static final String FOLDER = "/com/example";

    private Archetype() {}

    /** Writes {@code wheelhouse-archetype.jar}. */
    static Path make(Path target) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        List<String> sets = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(PAGE));
        while (block.find()) {
            String path = block.group(1);
            boolean packaged = path.contains(FOLDER);
            files.put("archetype-resources/" + path.replace(FOLDER, ""), general(block.group(2), path));
            int name = path.lastIndexOf('/') + 1;
            if (!path.equals("pom.xml")) {
                sets.add("    <fileSet filtered=\"true\" packaged=\"" + packaged + "\"><directory>"
                        + path.substring(0, Math.max(0, name - 1)).replace(FOLDER, "")
                        + "</directory><includes><include>" + (packaged ? "**/" : "") + path.substring(name)
                        + "</include></includes></fileSet>\n");
            }
        }
        if (files.size() < 5 || !files.containsKey("archetype-resources/pom.xml")) {
            throw new IllegalStateException(PAGE + " shows no project: " + files.keySet());
        }
        files.put("META-INF/maven/archetype-metadata.xml", "<archetype-descriptor name=\"wheelhouse-archetype\">\n"
                + "  <requiredProperties>\n    <requiredProperty key=\"version\">"
                + "<defaultValue>1.0</defaultValue></requiredProperty>\n  </requiredProperties>\n  <fileSets>\n"
                + String.join("", sets) + "  </fileSets>\n</archetype-descriptor>\n");
        Path jar = target.resolve("wheelhouse-archetype.jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                entry.setTimeLocal(DATE);
                out.putNextEntry(entry);
                out.write(file.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    /** The text with Velocity's variables. A text that Velocity would read itself is not allowed in the page. */
    private static String general(String text, String path) {
        String[] lines = text.split("\n", -1);
        StringBuilder general = new StringBuilder();
        for (String line : lines) {
            if (line.contains("${") || line.contains("##") || line.strip().startsWith("#")) {
                throw new IllegalStateException(PAGE + ", " + path + ": the archetype cannot hold \"" + line + "\"");
            }
            general.append(line).append('\n');
        }
        general.setLength(general.length() - 1);
        return general.toString().replace("<groupId>com.example</groupId>", "<groupId>${groupId}</groupId>")
                .replace("<artifactId>website</artifactId>", "<artifactId>${artifactId}</artifactId>")
                .replace("<version>1.0</version>", "<version>${version}</version>")
                .replace("com.example", "${package}");
    }
}
