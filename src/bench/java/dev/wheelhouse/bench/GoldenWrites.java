package dev.wheelhouse.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The writes of the real controllers for one Deployment of ten replicas, counted in the recorded traces. */
final class GoldenWrites {
    private static final Path SCENARIOS = Path.of("src/test/resources/golden/scenarios");

    private GoldenWrites() {}

    /** @param phase create or update */
    static String of(String phase) throws IOException {
        boolean create = phase.equals("create");
        JsonNode trace = JsonMapper.builder().build().readTree(SCENARIOS
                .resolve((create ? "create_10" : "rolling_10_surge25pct_unavail25pct_one") + ".json").toFile())
                .get("trace");
        int successful = 0;
        int conflicts = 0;
        int steps = 0;
        for (JsonNode entry : trace) {
            steps += entry.has("do") ? 1 : 0;
            for (JsonNode request : entry.path("req")) {
                List<String> words = List.of(request.asString().split(" "));
                int times = words.getLast().matches("x\\d+") ? Integer.parseInt(words.getLast().substring(1)) : 1;
                if (create || steps > 1) {
                    successful += words.contains("200") || words.contains("201") ? times : 0;
                    conflicts += words.contains("409") ? times : 0;
                }
            }
        }
        return successful + ", and " + conflicts + " refused as conflicts";
    }
}
