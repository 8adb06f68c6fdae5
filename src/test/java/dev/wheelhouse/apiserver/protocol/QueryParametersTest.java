package dev.wheelhouse.apiserver.protocol;

import java.lang.management.ManagementFactory;

import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import dev.wheelhouse.apiserver.error.StatusException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class QueryParametersTest {
    @Test
    void malformedPairsAreLeftOut() {
        QueryParameters query = QueryParameters.parse("a=1&b=%&c=%4&d=%zz&%=e&f=1;2&&g=%C3%A4+x&a=2&h&=i&j=%-1");

        assertThat(query.parameters()).containsOnlyKeys("a", "g", "h", "");
        assertThat(query.all("a")).containsExactly("1", "2");
        assertThat(query.get("g")).isEqualTo("\u00e4 x");
        assertThat(query.has("h")).isTrue();
    }

    @Test
    void aMalformedPairMakesNoException() {
        String malformed = "%&".repeat(900);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        QueryParameters.parse(malformed);
        long before = threads.getCurrentThreadAllocatedBytes();
        QueryParameters.parse(malformed);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100 * 900);
    }

    @Test
    void aQueryOfTooManyPairsIsRefusedBeforeTheyAreRead() {
        assertThat(QueryParameters.parse("a&".repeat(999)).all("a")).hasSize(999);
        assertThatThrownBy(() -> QueryParameters.parse("a&".repeat(15_000))).isInstanceOf(StatusException.class)
                .hasMessageContaining("more than 1000 parameters");
    }
}
