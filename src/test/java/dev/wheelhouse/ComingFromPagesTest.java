package dev.wheelhouse;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The operators that the page for newcomers shows beside other frameworks' ones. */
class ComingFromPagesTest {
    private static final Path EXAMPLE = Path.of(
            "examples/website-operator/src/main/java/com/example/website/Website.java");
    private static final String IMPORTS = """
            package com.example.website;
            import java.time.*;
            import java.util.*;
            import dev.wheelhouse.controller.Result;
            import dev.wheelhouse.operator.*;
            import io.kubernetes.client.openapi.models.*;
            """;

    @TempDir
    private Path directory;

    @Test
    void eachOperatorOfThePageCompiles() throws IOException {
        String page = Files.readString(Path.of("docs/comparison.md"));
        List<String> snippets = Pattern.compile("(?ms)^```java\\n(.*?)^```$").matcher(page).results()
                .map(found -> found.group(1)).toList();
        assertThat(snippets).hasSize(3);
        for (String snippet : snippets) {
            Path operator = Files.writeString(directory.resolve("WebsiteOperator.java"), IMPORTS + snippet);
            assertThat(compile(List.of(EXAMPLE, operator))).isEmpty();
        }
    }

    @Test
    void theOperatorOfFabric8sClassesCompiles() throws IOException {
        Matcher snippet = Pattern.compile("(?ms)^```java \\(fabric8's classes\\)\\n(.*?)^```$")
                .matcher(Files.readString(Path.of("docs/comparison.md")));
        assertThat(snippet.find()).isTrue();
        Path operator = Files.writeString(directory.resolve("WebsiteOperator.java"), """
                import java.time.Instant;
                import dev.wheelhouse.operator.*;
                import dev.wheelhouse.operator.fabric8.*;
                import io.fabric8.kubernetes.api.model.*;
                import io.fabric8.kubernetes.client.CustomResource;
                import io.fabric8.kubernetes.model.annotation.*;

                @Group("example.com")
                @Version("v1")
                class Website extends CustomResource<WebsiteSpec, WebsiteStatus> implements Namespaced {}

                record WebsiteSpec(String html) {}

                record WebsiteStatus(String state) {}

                """ + snippet.group(1));
        assertThat(compile(List.of(operator))).isEmpty();
    }

    private String compile(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
                    directory.toString());
            compiler.getTask(errors, files, null, options, null, files.getJavaFileObjectsFromPaths(sources)).call();
        }
        return errors.toString();
    }
}
