package dev.wheelhouse.controllers.node;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.wheelhouse.controllers.AddressRange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CidrSetTest {
    private static CidrSet set(String cluster, int size) {
        return new CidrSet(AddressRange.of(cluster), size);
    }

    private static List<String> allocated(CidrSet set) {
        List<String> ranges = new ArrayList<>();
        for (CidrSet.Allocation next = set.allocate(); next != null; next = set.allocate()) {
            ranges.add(next.range().toString());
        }
        return ranges;
    }

    @ParameterizedTest
    @CsvSource({"10.244.0.0/16, 10.244.0.0/16", "10.244.7.9/16, 10.244.0.0/16", "' 010.004.0.0/14', 10.4.0.0/14",
            "0.0.0.0/0, 0.0.0.0/0", "255.255.255.255/32, 255.255.255.255/32", "fd00:0:0:1::/64, fd00:0:0:1::/64",
            "2001:DB8:0:0:1:0:0:1/128, 2001:db8::1:0:0:1/128", "::/0, ::/0", "::1/128, ::1/128", "1::/16, 1::/16",
            "1:2:3:4:5:6:0:8/128, 1:2:3:4:5:6:0:8/128", "8000::/1, 8000::/1"})
    void aRangeIsReadAndWrittenAsUpstreamDoes(String text, String range) {
        assertThat(AddressRange.of(text)).hasToString(range);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "::/129", "a.example/8", "10.0.0.0/-1",
            "1.2.3.400/8", ":::/8", "::/"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> AddressRange.of(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("\"" + text + "\" is not a range of addresses");
    }

    @Test
    void theRangesAreGivenInOrder() {
        assertThat(allocated(set("10.1.0.0/22", 24))).containsExactly("10.1.0.0/24", "10.1.1.0/24", "10.1.2.0/24",
                "10.1.3.0/24");
        assertThat(allocated(set("fd00:1::/46", 48))).containsExactly("fd00:1::/48", "fd00:1:1::/48", "fd00:1:2::/48",
                "fd00:1:3::/48");
        assertThat(allocated(set("fd00::/63", 65))).containsExactly("fd00::/65", "fd00::8000:0:0:0/65",
                "fd00:0:0:1::/65", "fd00:0:0:1:8000::/65");
        assertThat(allocated(set("10.1.0.0/24", 24))).containsExactly("10.1.0.0/24");
    }

    @Test
    void aFreedRangeIsGivenAfterAllLaterOnes() {
        CidrSet set = set("10.1.0.0/22", 24);
        set.allocate();
        set.allocate();
        assertThat(set.release(AddressRange.of("10.1.0.0/24"))).isOne();
        assertThat(set.release(AddressRange.of("10.1.0.0/24"))).isZero();
        assertThat(allocated(set)).containsExactly("10.1.2.0/24", "10.1.3.0/24", "10.1.0.0/24");
    }

    @ParameterizedTest
    @CsvSource({"10.1.1.0/24, 1, 3", "10.1.1.7/32, 1, 3", "10.1.2.0/23, 2, 2", "10.0.0.0/8, 4, 0",
            "10.1.0.0/22, 4, 0"})
    void aForeignRangeOccupiesAllThatItTouches(String range, int occupied, int left) {
        CidrSet set = set("10.1.0.0/22", 24);
        assertThat(set.occupy(AddressRange.of(range))).isEqualTo(occupied);
        assertThat(set.used()).isEqualTo(occupied);
        assertThat(allocated(set)).hasSize(left);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.2.0.0/24", "10.1.4.0/24", "fd00::/64", "::/0"})
    void aRangeOutsideIsRefused(String range) {
        CidrSet set = set("10.1.0.0/22", 24);
        assertThatThrownBy(() -> set.occupy(AddressRange.of(range)))
                .hasMessage(range + " is not a part of the cluster's range 10.1.0.0/22");
    }

    @Test
    void theTriesAreTheUsedRangesThatWerePassedOver() {
        CidrSet set = set("10.1.0.0/21", 24);
        set.occupy(AddressRange.of("10.1.0.0/23"));
        assertThat(set.allocate()).isEqualTo(new CidrSet.Allocation(AddressRange.of("10.1.2.0/24"), 2));
        assertThat(set.allocate()).isEqualTo(new CidrSet.Allocation(AddressRange.of("10.1.3.0/24"), 0));
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.0/16, 15, does not fit", "10.0.0.0/16, 33, does not fit", "fd00::/32, 49, is too long",
            "fd00::/48, 129, does not fit"})
    void sizesThatDoNotFitAreRefused(String cluster, int size, String problem) {
        assertThatThrownBy(() -> set(cluster, size)).hasMessageContaining(problem);
    }
}
