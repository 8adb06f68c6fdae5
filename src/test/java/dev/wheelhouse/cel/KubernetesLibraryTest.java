package dev.wheelhouse.cel;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/** The functions that Kubernetes adds to CEL, mostly with upstream's own examples. */
class KubernetesLibraryTest {
    private static final JsonNode SELF = Json
            .read("""
                    {"numbers": [1, 2, 5, 5], "words": ["a", "c", "b"], "none": [], "big": [9223372036854775807, 1],
                     "mixed": [1, "a"],
                     "size": "1.5Gi", "home": "https://user:pw@example.com:80/with%20space/x?k=v1&k=v2&l=a+b#f",
                      "net": "10.0.0.0/8",
                     "name": "abc-123-def-45"}""");

    private static @Nullable String check(String rule) throws RuleException {
        return CelRule.compile(Json.read("{\"rule\": " + Json.mapper().writeValueAsString(rule) + "}"))
                .check(CelValues.of(SELF, Json.read("{}"), true), null, CelBudget.ofValidations());
    }

    @ParameterizedTest
    @ValueSource(strings = {"self.numbers.isSorted() && !self.words.isSorted() && self.none.isSorted()",
            "self.numbers.sum() == 13 && self.none.sum() == 0 && [1.5, 2.5].sum() == 4.0",
            "self.numbers.min() == 1 && self.numbers.max() == 5 && self.words.max() == 'c'",
            "self.numbers.indexOf(5) == 2 && self.numbers.lastIndexOf(5) == 3 && self.words.indexOf('z') == -1",
            "self.name.indexOf('-') == 3", "self.name.find('[0-9]+') == '123' && self.name.find('[A-Z]+') == ''",
            "self.name.findAll('[0-9]+') == ['123', '45'] && self.name.findAll('[0-9]+', 1) == ['123']",
            "isURL(self.home) && url(self.home).getScheme() == 'https'",
            "url(self.home).getHost() == 'example.com:80' && url(self.home).getHostname() == 'example.com'",
            "url(self.home).getPort() == '80' && url('/path').getPort() == ''",
            "url(self.home).getEscapedPath() == '/with%20space/x' && url('/with space').getEscapedPath() == "
                    + "'/with%20space'",
            "url(self.home).getQuery() == {'k': ['v1', 'v2'], 'l': ['a b']} && url('/path').getQuery() == {}",
            "url('https://[::1]:80/').getHost() == '[::1]:80' && url('https://[::1]:80/').getHostname() == '::1'",
            "!isURL('../relative-path') && !isURL('https://a:b:c/') && isURL('/absolute-path')",
            "isIP('127.0.0.1') && isIP('::1') && !isIP('127.0.0.256') && !isIP(':::1') && !isIP('010.0.0.1')",
            "!isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !isIP('localhost')",
            "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD') && "
                    + "!ip.isCanonical('2001:db8::0:0:0:abcd')",
            "ip.isCanonical('::') && ip.isCanonical('1::') && ip.isCanonical('0:1:2:3:4:5:6:7')",
            "ip('127.0.0.1').family() == 4 && ip('::1').family() == 6 && string(ip('::01')) == '::1'",
            "ip('0.0.0.0').isUnspecified() && ip('::1').isLoopback() && ip('224.0.0.1').isLinkLocalMulticast()",
            "ip('fe80::1').isLinkLocalUnicast() && ip('192.168.0.1').isGlobalUnicast() && "
                    + "!ip('255.255.255.255').isGlobalUnicast()",
            "isCIDR(self.net) && !isCIDR('10.0.0.0/33') && !isCIDR('::1/129') && !isCIDR('10.0.0.0')",
            "cidr(self.net).containsIP('10.1.2.3') && !cidr(self.net).containsIP(ip('11.0.0.1')) && "
                    + "!cidr(self.net).containsIP('::1')",
            "cidr(self.net).containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr(self.net))",
            "cidr('10.1.2.3/15').masked() == cidr('10.0.0.0/15') && cidr('10.1.2.3/15').ip() == ip('10.1.2.3')",
            "cidr(self.net).prefixLength() == 8 && string(cidr('2001:DB8::/32')) == '2001:db8::/32'",
            "isQuantity(self.size) && !isQuantity('Three') && !isQuantity('1,3G') && !isQuantity('Mi')",
            "quantity('200M').compareTo(quantity('0.2G')) == 0 && quantity('50Mi').isGreaterThan(quantity('50M'))",
            "quantity('50k').add(quantity('20k')) == quantity('70k') && quantity('50k').sub(20000) == quantity('30k')",
            "quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')",
            "quantity('50k').asInteger() == 50000 && !quantity('9999999999999999999999G').isInteger()",
            "quantity(self.size).sign() == 1 && quantity('500m').asApproximateFloat() == 0.5",
            "quantity('1').isLessThan(quantity('1500m'))"})
    void aFunctionSaysWhatUpstreamsSays(String rule) throws RuleException {
        assertThat(check(rule)).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"self.none.min() > 0 | min called on empty list",
            "self.big.sum() > 0 | integer overflow", "self.mixed.isSorted() | no such overload",
            "self.name.find('(') == '' | Illegal regex", "url('../x').getHost() == '' | URL parse error",
            "ip('x').family() == 4 | IP Address \"x\" parse error", "cidr('10.0.0.0/99').prefixLength() == 8 | CIDR",
            "quantity('Three').sign() == 1 | quantities must match",
            "quantity('9999999999999999999999G').asInteger() > 0 | cannot convert value to integer"})
    void whatCannotBeDoneIsSaid(String rule, String problem) throws RuleException {
        assertThat(check(rule)).contains(problem);
    }
}
