package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import static org.assertj.core.api.Assertions.assertThat;

class SlicePackingTest {
    private static V1Endpoint endpoint(int letter) {
        return new V1Endpoint().addresses(List.of(Character.toString(letter)));
    }

    /** A slice with a letter for each endpoint; that of one with other labels ends with an exclamation mark. */
    private static V1EndpointSlice slice(String letters) {
        return new V1EndpointSlice().metadata(new V1ObjectMeta().name(letters))
                .endpoints(List.copyOf(letters.chars().filter(Character::isLetter).mapToObj(SlicePackingTest::endpoint)
                        .toList()));
    }

    /** The letters of a slice, with a star if it changes, or a plus if it is new. */
    private static String brief(SliceDraft slice) {
        return slice.endpoints().stream().map(e -> e.getAddresses().getFirst()).collect(Collectors.joining())
                + (slice.isNew() ? "+" : slice.isToWrite() ? "*" : "");
    }

    @ParameterizedTest
    @CsvSource({
            "'', abc, 3, abc+, '', 3, 0",
            "'', abcd, 3, abc+ d+, '', 4, 0",
            "abc de, abcde, 3, abc de, '', 0, 0",
            "abc de, abcdef, 3, abc def*, '', 1, 0",
            "abc de, bcdef, 3, bcf* de, '', 1, 1",
            "abc def, abcdefg, 3, abc def g+, '', 1, 0",
            "ab cd, abcdef, 4, abef* cd, '', 2, 0",
            "a bcd, abcdefg, 9, a bcdefg*, '', 3, 0",
            "ab, abcdefg, 3, ab cde+ fg+, '', 5, 0",
            "ab c, ab, 3, ab, c, 0, 1",
            "ab, '', 3, '', ab, 0, 2",
            "ab bc, abc, 3, ab c*, '', 0, 1",
            "ab!, abc, 3, abc*, '', 1, 0",
            "ab! cd, abcdef, 3, abe* cdf*, '', 2, 0",
            "ab!, ab, 3, ab*, '', 0, 0",
    })
    void fewSlicesAreWrittenAndTheFullestAreFilledFirst(String existing, String wanted, int most, String slices,
            String emptied, int added, int removed) {
        Map<EndpointId, V1Endpoint> endpoints = new LinkedHashMap<>();
        wanted.chars().mapToObj(SlicePackingTest::endpoint).forEach(e -> endpoints.put(EndpointId.of(e), e));
        List<V1EndpointSlice> present = new ArrayList<>();
        for (String each : existing.isEmpty() ? new String[0] : existing.split(" ")) {
            present.add(slice(each));
        }
        SlicePacking packing = SlicePacking.of(present, endpoints, Map.of(),
                slice -> slice.getMetadata().getName().endsWith("!"), most,
                () -> SliceDraft.fresh("IPv4", List.of(), Map.of()));
        assertThat(packing.slices().stream().map(SlicePackingTest::brief).collect(Collectors.joining(" ")))
                .isEqualTo(slices);
        assertThat(packing.emptied().stream().map(s -> s.getMetadata().getName()).collect(Collectors.joining(" ")))
                .isEqualTo(emptied);
        assertThat(packing.added()).isEqualTo(added);
        assertThat(packing.removed()).isEqualTo(removed);
    }
}
