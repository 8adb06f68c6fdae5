package dev.wheelhouse.spring.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.kubernetes.client.openapi.ApiClient;

import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Refuses the writes that a reconciler sends by the official client once this process does not lead any more. They fail
 * with an {@code ApiException} of code 503. Reads pass, and so does everything that other threads send.
 */
public final class WriteFence implements Interceptor {
    private static final ThreadLocal<BooleanSupplier> MAY_WRITE = new ThreadLocal<>();
    private static final String REFUSAL = "this process no longer leads, so it writes nothing";

    /** Adds a fence to a client, unless it has one. */
    public static void guard(ApiClient api) {
        if (api.getHttpClient().interceptors().stream().noneMatch(WriteFence.class::isInstance)) {
            api.setHttpClient(api.getHttpClient().newBuilder().addInterceptor(new WriteFence()).build());
        }
    }

    /** Runs work on this thread. The thread's writes pass only while {@code mayWrite} is true. */
    static <R> R within(BooleanSupplier mayWrite, Supplier<R> work) {
        MAY_WRITE.set(mayWrite);
        try {
            return work.get();
        } finally {
            MAY_WRITE.remove();
        }
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        String method = chain.request().method();
        BooleanSupplier mayWrite = MAY_WRITE.get();
        if (mayWrite == null || method.equals("GET") || method.equals("HEAD") || mayWrite.getAsBoolean()) {
            return chain.proceed(chain.request());
        }
        String status = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                + "\"message\":\"" + REFUSAL + "\",\"reason\":\"ServiceUnavailable\",\"code\":503}";
        return new Response.Builder().request(chain.request()).protocol(Protocol.HTTP_1_1).code(503).message(REFUSAL)
                .body(ResponseBody.create(status.getBytes(StandardCharsets.UTF_8), MediaType.get("application/json")))
                .build();
    }
}
