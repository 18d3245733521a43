package gitrepo

import (
	"crypto/sha1" // git's own object ids; nothing is proven by them
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
)

// isHex reports whether s can be an abbreviated or full object id.
func isHex(s string) bool {
	return len(s) >= 4 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// isFullID reports whether s is a full SHA-1 or SHA-256 object id.
func isFullID(s string) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

// blobHash starts the object id of a blob of size bytes, in the object format that like is of.
func blobHash(like string, size int64) hash.Hash {
	h := sha1.New()
	if len(like) == 64 {
		h = sha256.New()
	}
	h.Write([]byte("blob " + strconv.FormatInt(size, 10) + "\x00"))
	return h
}

// blobID is the object id of content, in the object format that like is of.
func blobID(like string, content []byte) string {
	h := blobHash(like, int64(len(content)))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
