package dev.wheelhouse.client;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.AbstractKubernetesObject;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.operator.CustomResource;

import static org.assertj.core.api.Assertions.assertThat;

/** The metadata for GraalVM's native images, and the code that stands in for classes that are made at run time. */
@Tag("processes")
class NativeImageTest {
    private static final Path RESOURCES = Path.of("src/main/resources");
    private static final Path FILE = RESOURCES
            .resolve("META-INF/native-image/dev.wheelhouse/wheelhouse/reachability-metadata.json");

    /** With {@code -Dgolden.write=true} it writes the file. */
    @Test
    void theMetadataNamesWhatTheLibraryReflectsOnAndReads() throws Exception {
        List<String> types = new ArrayList<>(Stream.of(AbstractKubernetesObject.class, PartialObjectMetadata.class,
                Unstructured.class, CustomResource.class, Quantity.class, IntOrString.class).map(Class::getName)
                .toList());
        types.addAll(models());
        String json = "{\n  \"reflection\": [\n"
                + types.stream().sorted().map(type -> "    {\"type\": \"" + type + "\", \"allDeclaredFields\": true, "
                        + "\"allPublicMethods\": true, \"allDeclaredConstructors\": true}")
                        .collect(Collectors.joining(",\n"))
                + "\n  ],\n  \"resources\": [\n"
                + Stream.of("facts", "manager", "workqueue").map(folder -> "    {\"glob\": \"dev/wheelhouse/" + folder
                        + "/*.tsv\"}").collect(Collectors.joining(",\n"))
                + "\n  ]\n}\n";
        if (Boolean.getBoolean("golden.write")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, json);
        }

        assertThat(Files.readString(FILE)).as("write it again with -Dgolden.write=true").isEqualTo(json);
        JsonNode metadata = ModelJson.tree(Files.readAllBytes(FILE), 0, (int) Files.size(FILE));
        for (JsonNode type : metadata.path("reflection")) {
            assertThat(Class.forName(type.path("type").asString())).isNotNull();
        }
        for (JsonNode resource : metadata.path("resources")) {
            String folder = resource.path("glob").asString().replace("/*.tsv", "");
            try (Stream<Path> files = Files.list(RESOURCES.resolve(folder))) {
                assertThat(files.filter(file -> file.toString().endsWith(".tsv"))).isNotEmpty();
            }
        }
    }

    /** The classes that {@link ModelClass} reflects on. */
    private static List<String> models() throws Exception {
        Path jar = Path.of(V1Pod.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String models = V1Pod.class.getPackageName().replace('.', '/');
        List<String> names = new ArrayList<>();
        try (FileSystem entries = FileSystems.newFileSystem(jar);
                Stream<Path> files = Files.list(
                        entries.getPath(models))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class")) {
                    String type = V1Pod.class.getPackageName() + "." + name.replace(".class", "");
                    Class<?> model = Class.forName(type, false, NativeImageTest.class.getClassLoader());
                    if (ModelClass.isModel(model) && !name.contains("$")) {
                        names.add(type);
                    }
                }
            }
        }
        return names;
    }

    /** The property is the one that GraalVM sets. */
    @Test
    void modelsAreReadAndWrittenWithoutClassesThatAreMadeAtRunTime() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dorg.graalvm.nativeimage.imagecode=runtime", "-cp", System.getProperty("java.class.path"),
                Program.class.getName()).redirectErrorStream(true).start();

        assertThat(new String(process.getInputStream().readAllBytes())).contains("a nginx of main, copied");
        assertThat(process.waitFor()).isZero();
    }

    /** Reads, writes, copies and changes a pod. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws IOException {
            V1Pod read = ModelJson.read("{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": "
                    + "[{\"name\": \"main\", \"image\": \"nginx\"}]}}", V1Pod.class);
            V1Pod pod = ModelJson.read(ModelJson.write(ModelJson.copy(read)), V1Pod.class);
            ModelClass spec = ModelClass.of(V1PodSpec.class);
            Object fresh = spec.constructor().get();
            ModelClass.Property containers = spec.properties().stream()
                    .filter(property -> property.name().equals("containers")).findFirst().orElseThrow();
            containers.setter().accept(fresh, containers.get(pod.getSpec()));
            var first = ((V1PodSpec) fresh).getContainers().getFirst();
            System.out.println(pod.getMetadata().getName() + " " + first.getImage() + " of " + first.getName()
                    + ", copied");
        }
    }
}
