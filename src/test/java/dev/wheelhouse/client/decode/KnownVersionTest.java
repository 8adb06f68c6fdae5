package dev.wheelhouse.client.decode;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** The next version of an object shares with the cached one the parts that did not change. */
class KnownVersionTest {
    private final ObjectDecoder<V1Pod> decoder = ObjectDecoder
            .of(ResourceType.PODS, V1Pod.class, new DecoderMemory()).forCaches();

    private static V1Pod pod(String version, String nodeName, String message) {
        return new V1Pod().apiVersion("v1").kind("Pod")
                .metadata(new V1ObjectMeta().namespace("default").name("a").resourceVersion(version))
                .spec(new V1PodSpec().nodeName(nodeName).containers(List.of(
                        new V1Container().name("web").image("registry.example.com/shop/web:1.0"))))
                .status(new V1PodStatus().phase("Running").message("A message with the number " + message).podIP("10.0.0.1")
                        .hostIP("192.168.0.1"));
    }

    private V1Pod read(V1Pod pod, @Nullable V1Pod cached) {
        return read(decoder.write(pod), cached);
    }

    private V1Pod read(byte[] bytes, @Nullable V1Pod cached) {
        return Objects.requireNonNull(decoder.decodeWire(bytes, WireEnvelope.of(bytes, 0, bytes.length),
                key -> key.name().equals("a") ? cached : null, failure -> fail(failure.toString())));
    }

    @Test
    void aPartWithTheSameBytesIsTheCachedOne() {
        V1Pod first = read(pod("1", "node-1", "1"), null);
        V1Pod second = read(pod("2", "node-1", "1"), first);
        assertThat(second.getMetadata().getResourceVersion()).isEqualTo("2");
        assertThat(second.getSpec()).isSameAs(first.getSpec());
        assertThat(second.getStatus()).isSameAs(first.getStatus());

        V1Pod third = read(pod("3", "node-1", "2"), second);
        assertThat(third.getSpec()).isSameAs(first.getSpec());
        assertThat(third.getStatus()).isNotSameAs(first.getStatus());
        assertThat(ModelJson.write(third)).isEqualTo(ModelJson.write(pod("3", "node-1", "2")));

        V1Pod fourth = read(pod("4", "node-2", "2"), third);
        assertThat(fourth.getSpec()).isNotSameAs(third.getSpec());
        assertThat(fourth.getStatus()).isSameAs(third.getStatus());
        assertThat(ModelJson.write(fourth)).isEqualTo(ModelJson.write(pod("4", "node-2", "2")));
    }

    @Test
    void aPartThatTheNextVersionLacksIsNotTaken() {
        V1Pod first = read(pod("1", "node-1", "1"), null);
        assertThat(read(pod("2", "node-1", "1").status(null), first).getStatus()).isNull();
    }

    @Test
    void nothingIsTakenFromACopyWhichItsOwnerMayHaveChanged() {
        V1Pod first = read(pod("1", "node-1", "1"), null);
        V1Pod changed = ModelJson.copy(first);
        changed.getSpec().setNodeName("none");
        assertThat(ModelJson.write(read(pod("2", "node-1", "1"), changed)))
                .isEqualTo(ModelJson.write(pod("2", "node-1", "1")));
    }

    @Test
    void aMapWhoseElementsAreInTwoPlacesIsNotTakenForItsLastElements() {
        ObjectDecoder<V1ConfigMap> maps = ObjectDecoder
                .of(ResourceType.CONFIG_MAPS, V1ConfigMap.class, new DecoderMemory()).forCaches();
        String text = "a text that is longer than the shortest part that has a fingerprint";
        byte[] one = maps.write(map().putDataItem("one", text));
        byte[] other = maps.write(map().putDataItem("other", text));
        byte[] both = new byte[one.length + other.length];
        WireEnvelope first = WireEnvelope.of(one, 0, one.length);
        WireEnvelope second = WireEnvelope.of(other, 0, other.length);
        System.arraycopy(one, first.from(), both, 0, first.to() - first.from());
        System.arraycopy(other, second.from(), both, first.to() - first.from(), second.to() - second.from());
        int length = first.to() - first.from() + second.to() - second.from();
        V1ConfigMap joined = maps.decodeWire(both, new WireEnvelope("v1", "ConfigMap", 0, length), key -> null,
                failure -> fail(failure.toString()));
        assertThat(joined.getData()).containsOnlyKeys("one", "other");

        V1ConfigMap next = maps.decodeWire(other, second, key -> joined, failure -> fail(failure.toString()));
        assertThat(next.getData()).containsOnlyKeys("other");
    }

    private static V1ConfigMap map() {
        return new V1ConfigMap().apiVersion("v1").kind("ConfigMap").metadata(new V1ObjectMeta().name("a"));
    }
}
