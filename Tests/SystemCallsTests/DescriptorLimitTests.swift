import Glibc
import Testing

@testable import SystemCalls

@Suite struct DescriptorLimitTests {
    @Test func theLimitIsOnlyRaised() throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        #expect(getrlimit(resource, &limit) == 0)
        let initialLimit = UInt64(limit.rlim_cur)
        limit.rlim_cur -= 1
        #expect(setrlimit(resource, &limit) == 0)
        try DescriptorLimit.raise(to: 1)
        #expect(DescriptorLimit.current == initialLimit - 1)
        try DescriptorLimit.raise(to: initialLimit)
        #expect(DescriptorLimit.current == initialLimit)
    }
}
