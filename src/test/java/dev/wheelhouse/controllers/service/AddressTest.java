package dev.wheelhouse.controllers.service;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AddressTest {
    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.1, IPv4", "010.0.000.01, 10.0.0.1, IPv4", "255.255.255.255, 255.255.255.255, IPv4",
            "2001:DB8:0:0:0:0:0:1, 2001:db8::1, IPv6", "::, ::, IPv6", "::1, ::1, IPv6", "fe80::, fe80::, IPv6",
            "1:0:0:2:0:0:0:3, 1:0:0:2::3, IPv6", "1:0:2:3:4:5:6:7, 1:0:2:3:4:5:6:7, IPv6",
            "1:0:0:2:3:0:0:4, 1::2:3:0:0:4, IPv6", "::ffff:1.2.3.4, 1.2.3.4, IPv4"})
    void anAddressHasACanonicalText(String text, String canonical, String type) {
        assertThat(Address.parse(text)).isEqualTo(new Address(canonical, type));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "1.2.3", "1.2.3.256", "1.2.3.4.5", "1.2.3.-4", "::g", "1::2::3", "fe80::1%eth0",
            "99999999999999999999.1.1.1", "example.com", "1234:5678"})
    void otherTextsAreNone(String text) {
        assertThat(Address.parse(text)).isNull();
    }
}
