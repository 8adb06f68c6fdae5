package dev.wheelhouse;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.PatchFailedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The worked examples of CONTRIBUTING.md. Each is a diff with a test of its own: it is applied to a copy of the files
 * that it names, compiled against the classes of this build, and its test is run.
 */
@Tag("full")
class ContributingTest {
    private static final String RESOURCES = "src/main/resources/";
    /** A hunk may have moved, as for git apply; each line of its context must be there. */
    private static final int EXACT_CONTEXT = 0;
    private static final List<String> CLASS_PATH = Arrays.stream(
            System.getProperty("java.class.path").split(File.pathSeparator)).toList();

    @TempDir
    private Path copy;

    /** @param files by path, the lines of the diff of each */
    record Example(String title, Map<String, List<String>> files) {
        @Override
        public String toString() {
            return title;
        }

        List<String> tests() {
            return files.keySet().stream().filter(path -> path.startsWith("src/test/")).toList();
        }
    }

    static Stream<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        String title = "";
        List<String> file = null;
        for (String line : Files.readAllLines(Path.of("CONTRIBUTING.md"))) {
            if (line.startsWith("### ")) {
                title = line.substring(4);
            } else if (line.equals("```diff")) {
                if (examples.isEmpty() || !examples.getLast().title().equals(title)) {
                    examples.add(new Example(title, new LinkedHashMap<>()));
                }
                file = new ArrayList<>();
            } else if (line.equals("```") && file != null) {
                String target = file.stream().filter(l -> l.startsWith("+++ b/")).findFirst().orElseThrow();
                examples.getLast().files().put(target.substring("+++ b/".length()), file);
                file = null;
            } else if (file != null) {
                file.add(line);
            }
        }
        return examples.stream();
    }

    /**
     * Maven may run on a JDK 25 while an older java, or none, is on the PATH. A plugin looks for a tool on the PATH
     * unless a toolchain was selected, and it takes a path for what it is.
     */
    @Test
    void theToolsOfTheBuildAreThoseOfTheJdkThatItChose() throws Exception {
        Document pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new File("pom.xml"));
        assertThat(texts(pom, "useJdk")).isNotEmpty().containsOnly("Never");
        assertThat(texts(pom, "executable")).isNotEmpty().containsOnly("java");
    }

    private static List<String> texts(Document document, String element) {
        NodeList found = document.getElementsByTagName(element);
        return IntStream.range(0, found.getLength()).mapToObj(i -> found.item(i).getTextContent()).toList();
    }

    @Test
    void thereIsAnExampleOfARuleAKindAndAController() throws IOException {
        assertThat(examples()).extracting(Example::title).hasSize(3).allMatch(title -> title.startsWith("Add a "));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void anExampleAppliesCompilesAndPassesItsTest(Example example) throws Exception {
        apply(example, List.copyOf(example.files().keySet()));
        run(example);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void theTestOfAnExampleFailsWithoutTheChange(Example example) throws Exception {
        apply(example, example.tests());
        assertThatThrownBy(() -> run(example)).isInstanceOf(AssertionError.class);
    }

    private void apply(Example example, List<String> paths) throws IOException, PatchFailedException {
        for (String path : paths) {
            Path original = Path.of(path);
            List<String> before = Files.exists(original) ? Files.readAllLines(original) : List.of();
            List<String> after = UnifiedDiffUtils.parseUnifiedDiff(example.files().get(path))
                    .applyFuzzy(before, EXACT_CONTEXT);
            assertThat(after).as(path + " is changed by its diff").isNotEqualTo(before);
            Path target = copy
                    .resolve(path.startsWith(RESOURCES) ? "classes/" + path.substring(RESOURCES.length()) : path);
            Files.createDirectories(target.getParent());
            Files.write(target, after);
        }
    }

    /** @throws AssertionError if the example does not compile, or its test fails */
    private void run(Example example) throws Exception {
        Path classes = Files.createDirectories(copy.resolve("classes"));
        compile(classes);
        try (URLClassLoader loader = new URLClassLoader(urls(classes), ClassLoader.getPlatformClassLoader())) {
            for (String test : example.tests()) {
                String name = test.substring("src/test/java/".length(), test.length() - ".java".length())
                        .replace('/', '.');
                assertThat(runTests(loader.loadClass(name))).as("tests in " + name).isPositive();
            }
        }
    }

    private void compile(Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> tree = Files.walk(copy)) {
            List<Path> sources = tree.filter(path -> path.toString().endsWith(".java")).toList();
            List<String> options = List.of("-d", classes.toString(), "-proc:none", "-nowarn", "-classpath",
                    String.join(File.pathSeparator, CLASS_PATH));
            assertThat(compiler.getTask(messages, files, null, options, null,
                    files.getJavaFileObjectsFromPaths(sources)).call()).as(messages.toString()).isTrue();
        }
    }

    private static URL[] urls(Path classes) throws MalformedURLException {
        List<URL> urls = new ArrayList<>(List.of(classes.toUri().toURL()));
        for (String entry : CLASS_PATH) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    /**
     * Runs the methods with {@code @Test}, each on an instance of its own. The class loader has an annotation of its
     * own.
     */
    private static int runTests(Class<?> type) throws Exception {
        int count = 0;
        for (Method method : type.getDeclaredMethods()) {
            if (Arrays.stream(method.getAnnotations())
                    .noneMatch(annotation -> annotation.annotationType().getName().equals(Test.class.getName()))) {
                continue;
            }
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            method.setAccessible(true);
            count++;
            try {
                method.invoke(constructor.newInstance());
            } catch (InvocationTargetException e) {
                throw new AssertionError(method.getName() + ": " + e.getCause(), e.getCause());
            }
        }
        return count;
    }
}
