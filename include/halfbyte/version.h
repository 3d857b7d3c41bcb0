/* The version of these headers, for C and C++; CMakeLists.txt refuses to build when its own differs. */
#ifndef HALFBYTE_VERSION_H
#define HALFBYTE_VERSION_H

#define HALFBYTE_VERSION_MAJOR 0
#define HALFBYTE_VERSION_MINOR 1
#define HALFBYTE_VERSION_PATCH 0
/* Comparable numbers: 0.1.2 is 0x000102. */
#define HALFBYTE_VERSION_NUMBER \
  ((HALFBYTE_VERSION_MAJOR << 16) | (HALFBYTE_VERSION_MINOR << 8) | HALFBYTE_VERSION_PATCH)

#endif
