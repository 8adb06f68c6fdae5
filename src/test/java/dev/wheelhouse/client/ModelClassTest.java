package dev.wheelhouse.client;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.client.ModelClass.Property;

import static org.assertj.core.api.Assertions.assertThat;

/** The client relies on details of the official client's generated models. An upgrade that changes them fails here. */
public class ModelClassTest {
    /** Every model class of the official client. */
    public static List<Class<?>> models() throws IOException, ClassNotFoundException {
        URI jar = URI.create("jar:" + V1Pod.class.getProtectionDomain().getCodeSource().getLocation());
        List<Class<?>> models = new ArrayList<>();
        try (FileSystem files = FileSystems.newFileSystem(jar, Map.of());
                Stream<Path> paths = Files.list(files.getPath("/io/kubernetes/client/openapi/models"))) {
            for (Path path : paths.toList()) {
                String name = path.getFileName().toString();
                if (name.endsWith(".class") && !name.contains("$")) {
                    Class<?> type = Class
                            .forName("io.kubernetes.client.openapi.models." + name.substring(0, name.length() - 6));
                    if (ModelClass.isModel(type)) {
                        models.add(type);
                    }
                }
            }
        }
        return models;
    }

    @Test
    void everyModelCanBeMadeAndEachOfItsPropertiesSet() throws Exception {
        List<Class<?>> models = models();
        assertThat(models).hasSizeGreaterThan(600);
        for (Class<?> type : models) {
            ModelClass model = ModelClass.of(type);
            Object object = model.constructor().get();
            for (Property property : model.properties()) {
                property.setter().accept(object, null);
            }
            assertThat(model.copy(object, value -> {
                assertThat(value).isNull();
                return value;
            })).isInstanceOf(type);
        }
    }

    @Test
    void everyPropertyStillHasItsNameInAnAnnotation() throws Exception {
        for (Class<?> type : models()) {
            List<String> annotated = Stream.of(type.getDeclaredFields())
                    .filter(field -> field.isAnnotationPresent(SerializedName.class))
                    .map(field -> field.getAnnotation(SerializedName.class).value()).toList();
            assertThat(ModelClass.of(type).properties().stream().map(Property::name)).as(type.getSimpleName())
                    .isEqualTo(annotated);
        }
    }

    @Test
    void theListsAndMapsThatConstructorsMakeAreStillKnown() {
        assertThat(ModelClass.of(V1Container.class).properties()).filteredOn(Property::isPresetCollection)
                .extracting(Property::name).contains("args", "command", "env");
    }

    @Test
    void modelsStillNameTheirRequiredProperties() {
        assertThat(ModelClass.isRequired(V1PodSpec.class, "containers")).isTrue();
        assertThat(ModelClass.isRequired(V1PodSpec.class, "volumes")).isFalse();
        assertThat(ModelClass.isRequired(KubernetesObject.class, "metadata")).isFalse();
    }
}
