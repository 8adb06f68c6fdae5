package dev.wheelhouse.controllers.node;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.controllers.ControllerOptions.NodeIpam;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NodeIpamControllerTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                       | 0  | 0  | 0  | allocate-node-cidrs is set, but cluster-cidr is not
            10.0.0.0/8,11.0.0.0/8    | 0  | 0  | 0  | it must be one range, or one of IPv4 and one of IPv6
            10.0.0.0/8,fd00::/48     | 24 | 0  | 0  | use node-cidr-mask-size-ipv4 and node-cidr-mask-size-ipv6
            10.0.0.0/8               | 24 | 25 | 0  | node-cidr-mask-size is set together with a size for IPv4 or IPv6
            10.0.0.0/8               | 0  | 0  | 64 | -size-ipv6 is set, but cluster-cidr has no such range
            fd00::/48                | 0  | 24 | 0  | -size-ipv4 is set, but cluster-cidr has no such range
            10.0.0.0/25              | 0  | 0  | 0  | the nodes' mask size 24 does not fit into 10.0.0.0/25
            rubbish                  | 0  | 0  | 0  | is not a range of addresses
            """)
    void optionsThatDoNotFitAreRefused(String ranges, int size, int size4, int size6, String problem) {
        NodeIpam options = new NodeIpam(true, ranges.isEmpty() ? List.of() : List.of(ranges.split(",", -1)),
                List.of(), size, size4, size6);
        assertThatThrownBy(() -> NodeIpamController.check(options)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }
}
