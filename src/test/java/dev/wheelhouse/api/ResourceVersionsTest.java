package dev.wheelhouse.api;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ResourceVersionsTest {
    @Test
    void versions_compare_as_numbers_of_any_length() {
        assertThat(ResourceVersions.compare("9", "10")).isNegative();
        assertThat(ResourceVersions.compare("10", "10")).isZero();
        assertThat(ResourceVersions.compare("100000000000000000000001", "99999999999999999999999")).isPositive();
    }

    @Test
    void what_is_no_number_compares_with_nothing() {
        assertThat(ResourceVersions.atLeast("abc", "1")).isFalse();
        assertThat(ResourceVersions.atLeast("2", null)).isFalse();
        assertThat(ResourceVersions.isComparable("0")).isFalse();
        assertThat(ResourceVersions.isComparable("-1")).isFalse();
        assertThatThrownBy(() -> ResourceVersions.compare("", "1")).isInstanceOf(IllegalArgumentException.class);
    }
}
