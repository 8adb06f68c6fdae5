package dev.wheelhouse.api;

import java.math.BigInteger;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ShardSelectorTest {
    /** The published test vectors of FNV-1a. */
    @ParameterizedTest
    @CsvSource({"'', cbf29ce484222325", "a, af63dc4c8601ec8c", "foobar, 85944171f73967e8"})
    void theHashIsFnv1a(String value, String hash) {
        assertThat("%016x".formatted(ShardSelector.hash(value))).isEqualTo(hash);
    }

    @Test
    void theHashIsThatOfTheBytesInUtf8() {
        assertThat("%016x".formatted(ShardSelector.hash("é"))).isEqualTo("0ac21707b7181e01");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 256})
    void theShardsOfNamespacesCoverEachHashOnce(int count) {
        List<ShardSelector.Range> ranges = IntStream.range(0, count)
                .mapToObj(i -> ShardSelector.ofNamespaces(i, count).ranges().getFirst()).toList();
        assertThat(ranges.getFirst().first()).isZero();
        assertThat(ranges.getLast().last()).isEqualTo(-1);
        for (int i = 1; i < count; i++) {
            assertThat(ranges.get(i).first()).isEqualTo(ranges.get(i - 1).last() + 1);
        }
        BigInteger width = BigInteger.TWO.pow(64).divide(BigInteger.valueOf(count));
        assertThat(ranges).allSatisfy(range -> assertThat(new BigInteger(Long.toUnsignedString(range.last()))
                .subtract(new BigInteger(Long.toUnsignedString(range.first()))).subtract(width).abs())
                .isLessThanOrEqualTo(BigInteger.valueOf(count)));
    }

    @Test
    void theTextIsThatOfUpstream() {
        assertThat(ShardSelector.ofNamespaces(0, 2)).hasToString(
                "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')");
        assertThat(ShardSelector.ofNamespaces(1, 2)).hasToString(
                "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')");
    }

    @Test
    void aSelectorMatchesTheHashesOfItsRanges() {
        assertThat(ShardSelector.ofNamespaces(0, 2).matches("a")).isFalse();
        assertThat(ShardSelector.ofNamespaces(1, 2).matches("a")).isTrue();
        assertThat(new ShardSelector(ShardSelector.UID, List.of(new ShardSelector.Range(0, 1),
                new ShardSelector.Range(0xaf63dc4c8601ec8cL, 0xaf63dc4c8601ec8cL))).matches("a")).isTrue();
    }
}
