import CFFmpeg
import SharedFrames
import Synchronization
import SystemCalls

/// Makes FFmpeg decode straight into the pool's shared memory, and finds the pool's buffer again behind a decoded
/// frame.
///
/// FFmpeg calls it from its worker threads.
final class FrameAllocator: Sendable {
    private let pool: FramePool
    /// Buffers that FFmpeg holds, by the address of their memory.
    private let lent = Monitor<[UInt: Unmanaged<FrameBuffer>]>([:])
    /// A picture found no memory. Decoders report that as damage, or not at all.
    private let hasRefused = Atomic<Bool>(false)

    /// FFmpeg's own alignment and the room its widest loops may read beyond a plane.
    private static let alignment = 64
    private static let slack = FrameLayout.slack
    /// How long a decoder waits for a full pool before it leaves a picture out, nanoseconds: about as long as a picture
    /// is seen, so that a film whose pictures are all held elsewhere is passed over no faster than it plays.
    private static let patience: Int64 = 40_000_000

    /// Lends memory of the pool, and waits a moment for some when all is in use.
    static func acquire(_ size: Int, from pool: FramePool) throws(FramePool.Refusal) -> FrameBuffer {
        try pool.acquire(size: size, waitingUntil: MonotonicTime.now + patience)
    }

    init(pool: FramePool) { self.pool = pool }

    /// Hooks into a context that is not open yet. The allocator must outlive it.
    func serve(_ context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        cffmpeg_declare_thread_safe_callbacks(context)
        context.pointee.get_buffer2 = { context, frame, flags in
            guard let context, let frame, let opaque = context.pointee.opaque else { return cffmpeg_error(EINVAL) }
            let allocator = Unmanaged<FrameAllocator>.fromOpaque(opaque).takeUnretainedValue()
            return allocator.lend(to: context, frame) ?? avcodec_default_get_buffer2(context, frame, flags)
        }
    }

    /// Points `frame` at memory of the pool.
    ///
    /// - Returns: FFmpeg's code; nil for a format that frames cannot have.
    private func lend(to context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>)
        -> Int32?
    {
        guard let name = av_get_pix_fmt_name(AVPixelFormat(frame.pointee.format)),
            let format = PixelFormat(name: String(cString: name))
        else { return nil }
        var width = frame.pointee.width, height = frame.pointee.height
        var wanted: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutablePointer(to: &wanted) {
            avcodec_align_dimensions2(
                context, &width, &height, UnsafeMutableRawPointer($0).assumingMemoryBound(to: Int32.self))
        }
        guard
            let plan = MemoryPlan(
                format: format, width: Int(width), height: Int(height), alignment: Self.alignment, slack: Self.slack)
        else { return cffmpeg_error(EINVAL) }
        let buffer: FrameBuffer
        do {
            buffer = try Self.acquire(plan.size, from: pool)
        } catch {
            hasRefused.store(true, ordering: .relaxed)
            return cffmpeg_error(ENOMEM)
        }
        let retained = Unmanaged.passRetained(buffer)
        let key = UInt(bitPattern: buffer.base)
        lent.withLock { $0[key] = retained }
        let tag = Unmanaged.passRetained(Loan(allocator: self, key: key))
        let reference = av_buffer_create(
            buffer.base.assumingMemoryBound(to: UInt8.self), plan.size,
            { opaque, _ in
                guard let opaque else { return }
                Unmanaged<Loan>.fromOpaque(opaque).takeRetainedValue().end()
            },
            // Read-only for FFmpeg once it is decoded: a decoder that paints its next picture over its last one would
            // paint over what is being shown.
            tag.toOpaque(), Int32(AV_BUFFER_FLAG_READONLY))
        guard let reference else {
            tag.takeRetainedValue().end()
            return cffmpeg_error(ENOMEM)
        }
        frame.pointee.buf.0 = reference
        plan.point(frame, at: buffer.base)
        return 0
    }

    /// Whether a picture found no memory since the last call.
    func takeRefusal() -> Bool { hasRefused.exchange(false, ordering: .relaxed) }

    /// The pool's buffer behind a decoded frame; nil when the decoder used memory of its own.
    func buffer(behind frame: UnsafeMutablePointer<AVFrame>) -> FrameBuffer? {
        guard let reference = frame.pointee.buf.0, let data = reference.pointee.data else { return nil }
        return lent.withLock { $0[UInt(bitPattern: data)]?.takeUnretainedValue() }
    }

    /// Ends with FFmpeg's last reference to one buffer.
    private final class Loan: Sendable {
        private let allocator: FrameAllocator
        private let key: UInt
        init(allocator: FrameAllocator, key: UInt) {
            self.allocator = allocator
            self.key = key
        }
        func end() {
            let buffer = allocator.lent.withLock { $0.removeValue(forKey: key) }
            buffer?.release()
        }
    }
}

/// How the planes of one picture share a block of memory.
struct MemoryPlan {
    private(set) var planes: [FrameLayout.Plane] = []
    private(set) var size = 0

    init?(format: PixelFormat, width: Int, height: Int, alignment: Int, slack: Int) {
        guard (1...FrameLayout.maximumDimension * 2).contains(width),
            (1...FrameLayout.maximumDimension * 2).contains(height)
        else { return nil }
        func aligned(_ n: Int) -> Int { (n + alignment - 1) / alignment * alignment }
        for index in 0..<format.planeCount {
            // A stride that is a multiple of a page puts every row on the same cache sets.
            var stride = aligned(format.rowBytes(plane: index, width: width))
            if stride % 4096 == 0 { stride += alignment }
            planes.append(FrameLayout.Plane(offset: size, stride: stride))
            size += aligned(stride * format.rows(plane: index, height: height) + slack)
        }
        if format.hasPalette {
            planes.append(FrameLayout.Plane(offset: size, stride: 0))
            size += FrameLayout.paletteBytes
        }
        size += slack
        guard size <= FrameLayout.maximumBytes else { return nil }
    }

    /// Fills in a frame's data pointers and line sizes.
    func point(_ frame: UnsafeMutablePointer<AVFrame>, at base: UnsafeMutableRawPointer) {
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        for (index, plane) in planes.enumerated() {
            let start = bytes + plane.offset, stride = Int32(plane.stride)
            switch index {
            case 0: (frame.pointee.data.0, frame.pointee.linesize.0) = (start, stride)
            case 1: (frame.pointee.data.1, frame.pointee.linesize.1) = (start, stride)
            case 2: (frame.pointee.data.2, frame.pointee.linesize.2) = (start, stride)
            default: (frame.pointee.data.3, frame.pointee.linesize.3) = (start, stride)
            }
        }
        // The pointers' array is part of the frame itself, which stays where it is.
        let data = UnsafeMutableRawPointer(frame) + (MemoryLayout<AVFrame>.offset(of: \.data) ?? 0)
        frame.pointee.extended_data = data.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
    }
}
