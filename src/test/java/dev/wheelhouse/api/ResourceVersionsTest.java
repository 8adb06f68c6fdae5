package dev.wheelhouse.api;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ResourceVersionsTest {
    @Test
    void versionsCompareAsNumbersOfAnyLength() {
        assertThat(ResourceVersions.compare("9", "10")).isNegative();
        assertThat(ResourceVersions.compare("10", "10")).isZero();
        assertThat(ResourceVersions.compare("100000000000000000000001", "99999999999999999999999")).isPositive();
    }

    @Test
    void whatIsNoNumberComparesWithNothing() {
        assertThat(ResourceVersions.atLeast("abc", "1")).isFalse();
        assertThat(ResourceVersions.atLeast("2", null)).isFalse();
        assertThat(ResourceVersions.isComparable("0")).isFalse();
        assertThat(ResourceVersions.isComparable("-1")).isFalse();
        assertThatThrownBy(() -> ResourceVersions.compare("", "1")).isInstanceOf(IllegalArgumentException.class);
    }
}
