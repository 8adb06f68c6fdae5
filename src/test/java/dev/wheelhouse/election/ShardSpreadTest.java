package dev.wheelhouse.election;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShardSpreadTest {
    @Test
    void theSharesOfAllReplicasAreAllShardsAndDifferByOneAtMost() {
        Random random = new Random(1);
        for (int run = 0; run < 1000; run++) {
            int shards = 1 + random.nextInt(20);
            Map<String, Integer> held = new HashMap<>();
            for (int i = random.nextInt(9); i >= 0; i--) {
                held.put("replica-" + i, random.nextInt(shards + 1));
            }
            int sum = 0;
            for (String replica : held.keySet()) {
                int share = ShardSpread.share(replica, held, shards);
                assertThat(share).isBetween(shards / held.size(), (shards + held.size() - 1) / held.size());
                sum += share;
            }
            assertThat(sum).isEqualTo(shards);
        }
    }

    @Test
    void thoseThatHoldMoreKeepTheOneMore() {
        assertThat(ShardSpread.share("b", Map.of("a", 1, "b", 2), 3)).isEqualTo(2);
        assertThat(ShardSpread.share("a", Map.of("a", 1, "b", 2), 3)).isEqualTo(1);
    }
}
