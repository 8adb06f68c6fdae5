package dev.wheelhouse.controllers.job;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class IndexesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", value = {"null | ''", "'' | ''", "3 | 3", "0,1 | 0,1",
            "0-2 | 0-2", "0,1,2,4 | 0-2,4", "0-3,4-6 | 0-6", "1,x,3-y,5 | 1,5", "1,8-12 | 1,8,9", "1,10 | 1",
            "2,4-20 | 2,4-9", "-1 | ''"})
    void readsIntervalsBelowTheNumberOfCompletionsAndIgnoresMalformedOnes(String text, String indexes) {
        assertThat(Indexes.parse(text, 10)).hasToString(indexes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"'' | 3 | 0,1,2", "0-2 | 2 | 3,4", "1,3-5 | 4 | 0,2,6,7", "0-8 | 5 | 9",
            "0-9 | 1 | ''", "5-20 | 9 | 0,1,2,3,4"})
    void findsTheFirstMissingIndexes(String text, int count, String missing) {
        int[] found = Indexes.parse(text, 100).firstMissing(count, 10);
        assertThat(String.join(",", IntStream.of(found).mapToObj(Integer::toString).toList())).isEqualTo(missing);
    }

    @Test
    void agreesWithSetsOfNumbers() {
        SplittableRandom random = new SplittableRandom(7);
        for (int run = 0; run < 2_000; run++) {
            SortedSet<Integer> a = numbers(random);
            SortedSet<Integer> b = numbers(random);
            Indexes left = Indexes.of(a);
            Indexes right = Indexes.parse(Indexes.of(b).toString(), 64);
            TreeSet<Integer> union = new TreeSet<>(a);
            union.addAll(b);
            TreeSet<Integer> common = new TreeSet<>(a);
            common.retainAll(b);
            assertThat(left.with(right)).hasToString(Indexes.of(union).toString());
            assertThat(left.with(b)).hasToString(Indexes.of(union).toString());
            assertThat(left.common(right)).isEqualTo(common.size());
            assertThat(left.total()).isEqualTo(a.size());
            for (int i = 0; i < 64; i++) {
                assertThat(left.has(i)).as("%s has %d", left, i).isEqualTo(a.contains(i));
            }
            List<Integer> missing = new ArrayList<>(IntStream.range(0, 64).boxed().toList());
            missing.removeAll(a);
            assertThat(left.firstMissing(5, 64)).containsExactly(missing.stream().limit(5).toArray(Integer[]::new));
        }
    }

    private static SortedSet<Integer> numbers(SplittableRandom random) {
        SortedSet<Integer> numbers = new TreeSet<>();
        int density = random.nextInt(1, 10);
        IntStream.range(0, 64).filter(i -> random.nextInt(10) < density).forEach(numbers::add);
        return numbers;
    }

    @Test
    void aMillionIndexesInOneIntervalTakeNoRoom() {
        Indexes many = Indexes.parse("0-1999999999", Integer.MAX_VALUE);
        assertThat(many.with(List.of(2_000_000_000)).total()).isEqualTo(2_000_000_001);
        assertThat(many.firstMissing(1, Integer.MAX_VALUE)).containsExactly(2_000_000_000);
    }
}
